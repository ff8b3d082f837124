import { describe, expect, test } from 'vitest';
import { importsOf, isTestCode, mentions, sources } from './sources.ts';

const impure =
  /^(process(\.|$)|Date\.now$|Math\.random$|performance(\.|$)|fetch$|setTimeout$|setInterval$|console(\.|$)|crypto\.|globalThis(\.|$)|new Date\(\)$)/;

describe('purity', () => {
  test('protocol has no clock, disk, network, environment or chance of its own', () => {
    const files = sources(/^protocol\/.*\.ts$/).filter((file) => !isTestCode(file.path));
    expect(files.length).toBeGreaterThan(0);
    const offences = files.flatMap((file) => [
      ...importsOf(file)
        .filter((name) => name.startsWith('node:'))
        .map((name) => `${file.path} imports ${name}`),
      ...mentions(file)
        .filter(({ name }) => impure.test(name))
        .map(({ name, line }) => `${file.path}:${line} uses ${name}`),
    ]);
    expect(offences).toEqual([]);
  });

  test('only config files and the supervisor read the environment', () => {
    const offences = sources(/^(gateway|grader|runners|db|site|cli|seasons)\/.*\.(ts|mjs)$/)
      .filter((file) => !isTestCode(file.path) && !/(config\.(ts|mjs)|cli\/vtb\.mjs)$/.test(file.path))
      .flatMap((file) =>
        mentions(file)
          .filter(({ name }) => name.startsWith('process.env'))
          .map(({ line }) => `${file.path}:${line}`),
      );
    expect(offences).toEqual([]);
  });
});
