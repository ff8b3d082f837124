import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root, sources } from './sources.ts';

const linesMax = 300;

/** Files that are longer for a reason. */
const longer: Readonly<Record<string, string>> = {
  'db/public/schema.ts': 'one database, read top to bottom',
  'gateway/actions/submissions.test.ts': 'the life of a submission in the order it happens, on one set-up',
  'grader/grade.test.ts': 'the life of an order in the order it happens, on one enclave',
  'runners/proxy/proxy.test.ts': 'what every request and every end of one must come to, on one proxy',
  'test/journeys/messages.test.ts': 'every way to tamper with a message, on one running service',
  'test/journeys/wholeWay.test.ts': 'one journey in the order it happens, on one running service',
};

describe('shape', () => {
  test('no file is longer than 300 lines without a listed reason', () => {
    const long = sources(/\.(ts|astro|css|mjs)$/)
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > linesMax && longer[path] === undefined)
      .map(({ path, lines }) => `${path}: ${lines} lines`);
    expect(long).toEqual([]);
  });

  test('no listed reason outlives its file', () => {
    expect(Object.keys(longer).filter((path) => !existsSync(root + path))).toEqual([]);
  });

  test('top-level folders are the known ones', () => {
    const known = [
      '.ci',
      'cli',
      'db',
      'deploy',
      'docs',
      'gateway',
      'grader',
      'protocol',
      'runners',
      'seasons',
      'site',
      'test',
    ];
    const folders = new Set(sources(/\//).map((file) => file.path.split('/')[0]));
    expect([...folders].filter((folder) => !known.includes(folder ?? ''))).toEqual([]);
  });

  test('every path that the documents name is there', () => {
    const workspaces = 'protocol|seasons|db|gateway|grader|runners|site|cli|test|deploy|docs';
    const path = new RegExp(`\`((?:${workspaces})/[A-Za-z0-9_./-]*)\``, 'g');
    const documents = sources(/\.md$/).filter((file) => !file.path.startsWith('docs/decisions/'));
    expect(documents.map((file) => file.path)).toContain('ARCHITECTURE.md');
    const missing = documents.flatMap((file) =>
      [...file.text.matchAll(path)]
        .map((match) => match[1] ?? '')
        .filter((named) => !existsSync(root + named))
        .map((named) => `${file.path} names ${named}`),
    );
    expect(missing).toEqual([]);
  });

  test('nothing names a machine it was written on, or a registry', () => {
    const offences = sources(/\.(ts|mjs|astro|css|md|json|toml|sql|sh)$/)
      .filter(
        (file) =>
          /https?:\/\/(registry|deb|pypi|proxy|files|security|static)\.|"resolved": *"http|\/work\/(main|shared)/.test(
            file.text,
          ) && !file.path.startsWith('test/laws/'),
      )
      .map((file) => file.path);
    expect(offences).toEqual([]);
  });
});
