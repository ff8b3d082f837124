import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli } from '@vtb/deploy/local/cliBundle.ts';
import { newContest } from '@vtb/gateway/testing/contest.ts';
import { testGateway } from '@vtb/gateway/testing/testGateway.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVtb } from './testing/childVtb.ts';
import { openDoor } from './testing/door.ts';

/**
 * The pinned Node, the one that the host has, and those that VTB_TEST_NODES names (paths with colons between them); each
 * version once.
 */
const nodes = new Map<string, string>();
const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
for (const node of [
  process.execPath,
  ...onPath.map((folder) => join(folder, 'node')),
  ...(process.env.VTB_TEST_NODES ?? '').split(delimiter).filter((path) => path !== ''),
]) {
  try {
    nodes.set(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(), node);
  } catch {
    // No Node here.
  }
}

const root = dirname(fileURLToPath(new URL('.', import.meta.url)));
const initial = join(root, 'seasons/pocket/systems/initial');
const gateway = await testGateway();
const door = await openDoor(gateway.app.fetch);
const elsewhere = await mkdtemp(join(tmpdir(), 'vtb-bundle-'));
const file = join(elsewhere, 'vtb.mjs');
beforeAll(async () => {
  await bundleCli(root);
  await copyFile(join(root, 'cli/dist/vtb.mjs'), file);
}, 120_000);
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await rm(elsewhere, { recursive: true, force: true });
});

test('a bundle of the same inputs is not built again', async () => {
  expect(await bundleCli(root)).toBe(false);
});

describe.each([...nodes])('the one file on Node %s', (_version, node) => {
  const vtb = (args: readonly string[], token = '') =>
    startVtb(args, {
      command: [node, file],
      env: { VTB_URL: door.url, HOME: elsewhere, ...(token === '' ? {} : { VTB_TOKEN: token }) },
    }).ended;

  test('checks a system by the rules that the service gives, away from any clone', async () => {
    const before = door.requests.length;
    const { code, stdout, stderr } = await vtb(['check', initial, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      season: 'pocket',
      track: 'wordmath',
      preview: false,
      notes: [],
    });
    expect(door.requests.slice(before)).toEqual([
      'GET /api/v1/seasons',
      'GET /api/v1/seasons/pocket/tracks/wordmath/rules',
    ]);
  }, 120_000);

  test('submits it', async () => {
    const { member, run } = await newContest(gateway);
    const { code, stdout, stderr } = await vtb(['submit', initial, '--json'], member.token);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ run, state: 'checking' });
  }, 120_000);

  test('starts no processes of a service, which it does not have', async () => {
    const { code, stdout } = await vtb(['--help', '--json']);
    expect(code).toBe(0);
    const { help } = JSON.parse(stdout);
    expect(help).toContain('submit [options] <dir>');
    expect(help).not.toMatch(/^ {2}(gateway|grader|courier|runner) /m);
  });
});
