import { describe, expect, test } from 'vitest';
import { importsOf, isTestCode, mentions, type Source, sources } from './sources.ts';

const networkModules =
  /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(undici|ws|got|axios|@hono\/node-server)(\/|$)/;
const networkGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];

const outside = (file: Source) => !/^grader\/(courier|desk)\//.test(file.path);
const grader = () => sources(/^grader\/.*\.ts$/).filter((file) => !isTestCode(file.path));

describe('the air gap', () => {
  test('in the grader only courier/ and desk/ use a network module', () => {
    const files = grader();
    expect(files.length).toBeGreaterThan(0);
    const offences = files.filter(outside).flatMap((file) => [
      ...importsOf(file)
        .filter((name) => networkModules.test(name))
        .map((name) => `${file.path} imports ${name}`),
      ...mentions(file)
        .filter(({ name }) => networkGlobals.includes(name))
        .map(({ name, line }) => `${file.path}:${line} uses ${name}`),
    ]);
    expect(offences).toEqual([]);
  });

  test('the courier knows neither vault nor desk, and holds no signing key of the grader', () => {
    const courier = grader().filter((file) => file.path.startsWith('grader/courier/'));
    expect(courier.length).toBeGreaterThan(0);
    const offences = courier.flatMap((file) => [
      ...importsOf(file)
        .filter((name) => /(\/|^)(vault|desk|grade)(\/|\.ts$)|@vtb\/db\//.test(name))
        .map((name) => `${file.path} imports ${name}`),
      ...(/keys\/(signing|vault)/.test(file.text) ? [`${file.path} names a key of the grader`] : []),
    ]);
    expect(offences).toEqual([]);
  });

  test('runners never import the database driver', () => {
    const offences = sources(/^runners\/.*\.ts$/).flatMap((file) =>
      importsOf(file)
        .filter((name) => /^(postgres|drizzle-orm|pg)/.test(name))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(offences).toEqual([]);
  });
});
