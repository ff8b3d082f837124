import { describe, expect, test } from 'vitest';
import { importsOf, isTestCode, sources } from './sources.ts';

/**
 * Who may import whom (ARCHITECTURE.md). Third-party packages are those that the workspace's own package.json lists;
 * here stands what crosses workspaces, and what a part of one may not use.
 */
const workspaces: Readonly<Record<string, readonly RegExp[]>> = {
  protocol: [],
  seasons: [/^@vtb\/protocol\//],
  db: [/^@vtb\/protocol\//],
  gateway: [/^@vtb\/protocol\//, /^@vtb\/seasons\//, /^@vtb\/db\/(public\/|(migrate|writePrivately)\.ts$)/],
  grader: [/^@vtb\/protocol\//, /^@vtb\/seasons\//, /^@vtb\/db\/(vault\/|migrate\.ts$)/],
  runners: [/^@vtb\/protocol\//],
  site: [/^@vtb\/protocol\//, /^@vtb\/seasons\//, /^@vtb\/db\/public\/read\//],
  cli: [/^@vtb\/protocol\//, /^@vtb\/seasons\//],
  deploy: [
    /^@vtb\/protocol\//,
    /^@vtb\/seasons\//,
    /^@vtb\/db\/(embedded|migrate|soleHolder|writePrivately)\.ts$/,
  ],
};

const code = (workspace: string) =>
  sources(new RegExp(`^${workspace}/.*\\.(ts|mjs|astro)$`)).filter((source) => !isTestCode(source.path));

describe('imports', () => {
  test.each(Object.keys(workspaces))('%s imports only what it may', (workspace) => {
    const allowed = workspaces[workspace] ?? [];
    const files = code(workspace);
    expect(files.length).toBeGreaterThan(0);
    const offences = files.flatMap((file) =>
      importsOf(file)
        .filter(
          (name) =>
            name.startsWith('@vtb/') &&
            !name.startsWith(`@vtb/${workspace}/`) &&
            !allowed.some((rule) => rule.test(name)),
        )
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(offences).toEqual([]);
  });

  test('no relative import leaves its workspace', () => {
    const offences = Object.keys(workspaces).flatMap((workspace) =>
      code(workspace).flatMap((file) =>
        importsOf(file)
          .filter((name) => name.startsWith('.'))
          .map((name) => new URL(name, `file:///${file.path}`).pathname.slice(1))
          .filter((path) => !path.startsWith(`${workspace}/`))
          .map((path) => `${file.path} reaches ${path}`),
      ),
    );
    expect(offences).toEqual([]);
  });

  test('every third-party import is listed in the workspace that uses it', async () => {
    const offences: string[] = [];
    for (const workspace of Object.keys(workspaces)) {
      const [manifest] = sources(new RegExp(`^${workspace}/package\\.json$`));
      const listed = JSON.parse(manifest?.text ?? '{}');
      const names = new Set(
        Object.keys({ ...listed.dependencies, ...listed.optionalDependencies, ...listed.devDependencies }),
      );
      for (const file of code(workspace)) {
        for (const name of importsOf(file)) {
          if (/^(\.|node:|@vtb\/|astro:|virtual:)/.test(name)) continue;
          const base = name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/');
          if (!names.has(base)) offences.push(`${file.path} imports ${base}`);
        }
      }
    }
    expect(offences).toEqual([]);
  });

  test('nothing that is not a test imports what only tests run', () => {
    const offences = Object.keys(workspaces).flatMap((workspace) =>
      code(workspace).flatMap((file) =>
        importsOf(file)
          .filter((name) => isTestCode(name))
          .map((name) => `${file.path} imports ${name}`),
      ),
    );
    expect(offences).toEqual([]);
  });

  test('jose is used in protocol by messages alone', () => {
    const offences = code('protocol').filter(
      (file) =>
        !file.path.startsWith('protocol/messages/') && importsOf(file).some((name) => /^jose/.test(name)),
    );
    expect(offences.map((file) => file.path)).toEqual([]);
  });
});
