import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { codePaths } from './codePaths.ts';
import { type ProcessLevel, processLevels } from './level.ts';
import { probeIsolation } from './probeIsolation.ts';
import { slotUid } from './slotUid.ts';
import { type IsolatedProcess, spawnIsolated } from './spawnIsolated.ts';
import type { ProcessLimits } from './spec.ts';

const signal = new AbortController().signal;
const slot = 900_001;
const limits: ProcessLimits = {
  memoryBytesMax: 2 ** 30,
  openFilesMax: 64,
  fileBytesMax: 1_000,
  processesMax: 40,
  cpuSecondsMax: 20,
};
const dirs: string[] = [];
const works = new Map<ProcessLevel, boolean>();

beforeAll(async () => {
  for (const level of processLevels) {
    const proven = await probeIsolation({ slot, levels: [level] }, { signal }).then(
      () => true,
      () => false,
    );
    works.set(level, proven);
  }
});

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function start(
  level: ProcessLevel,
  command: string,
  args: readonly string[],
  more: Partial<ProcessLimits> = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'vtb-i-'));
  dirs.push(dir);
  const uid = level === 'process+uid+netns' ? slotUid(slot) : null;
  if (uid !== null) chownSync(dir, uid, uid);
  return spawnIsolated({
    level,
    command,
    args,
    env: { HOME: dir },
    uid,
    groups: [],
    readOnlyPaths: codePaths(),
    writableDir: dir,
    limits: { ...limits, ...more },
    signal,
  });
}

async function output(child: IsolatedProcess): Promise<string> {
  let text = '';
  for await (const part of child.stdout) text += part;
  await child.ended;
  return text;
}

/** Pids whose command line contains a mark that only this test uses. */
function marked(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark);
      } catch {
        return false;
      }
    });
}

describe.each(processLevels)('%s', (level) => {
  test('nothing of the runner’s environment is inherited', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    process.env.VTB_TEST_SECRET = 'visible';
    const child = start(level, '/usr/bin/env', []);
    const names = (await output(child)).split('\n').flatMap((l) => (l === '' ? [] : [l.split('=')[0]]));
    delete process.env.VTB_TEST_SECRET;
    expect(names).toEqual(['HOME']);
  });

  test('killing it kills what it started, also in sessions of their own', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const mark = `8${slot}${processLevels.indexOf(level)}`;
    // A process that leaves the group escapes where there is no pid namespace: that is what `process` means.
    const runaway = level === 'process' ? '' : `/usr/bin/setsid sleep ${mark} & `;
    const child = start(level, '/bin/sh', ['-c', `${runaway}sleep ${mark} & echo up; wait`]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await vi.waitFor(
      () => expect(marked(mark).length).toBeGreaterThanOrEqual(level === 'process' ? 1 : 2),
      5_000,
    );
    await child.kill();
    await vi.waitFor(() => expect(marked(mark)).toEqual([]), 5_000);
  });

  test('a killed runner leaves no orphan', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const mark = `9${slot}${processLevels.indexOf(level)}`;
    const uid = level === 'process+uid+netns' ? slotUid(slot) : null;
    const spec = {
      ...{ level, uid, command: '/bin/sleep', args: [mark], env: {}, groups: [], limits },
      ...{ readOnlyPaths: [], writableDir: null },
    };
    const code = `import { spawnIsolated } from ${JSON.stringify(join(import.meta.dirname, 'spawnIsolated.ts'))};
      spawnIsolated({ ...${JSON.stringify(spec)}, signal: new AbortController().signal });`;
    const runner = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    await vi.waitFor(() => expect(marked(mark).length).toBeGreaterThan(0), 10_000);
    runner.kill('SIGKILL');
    await vi.waitFor(() => expect(marked(mark)).toEqual([]), 5_000);
  });

  test('a file over the limit ends its writer, not the disk', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const child = start(level, '/bin/sh', [
      '-c',
      'head -c 5000 /dev/zero > "$HOME/big"; stat -c %s "$HOME/big"',
    ]);
    expect(Number(await output(child))).toBe(1_000);
  });

  test('memory over the limit is refused to it', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const code =
      'const held = []; for (let i = 0; i < 64; i++) held.push(Buffer.alloc(2 ** 26, 1)); console.log("held")';
    const child = start(level, process.execPath, ['-e', code], { memoryBytesMax: 2 ** 29 });
    expect(await output(child)).not.toContain('held');
    expect(await child.ended).not.toMatchObject({ code: 0 });
  });

  test('an aborted signal ends it', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const abort = new AbortController();
    const child = spawnIsolated({
      ...{ level, command: '/bin/sleep', args: ['1000'], env: {}, groups: [], limits, readOnlyPaths: [] },
      uid: level === 'process+uid+netns' ? slotUid(slot) : null,
      writableDir: null,
      signal: abort.signal,
    });
    abort.abort();
    expect((await child.ended).signal).toBe('SIGKILL');
  });
});

describe.each(['process+uid+netns', 'process+netns'] as const)('%s', (level) => {
  test('processes over the limit are refused to it alone', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const child = start(
      level,
      '/bin/sh',
      ['-c', 'for i in 1 2 3 4 5 6 7 8; do sleep 100 & done; jobs -p | wc -l'],
      {
        processesMax: 5,
      },
    );
    expect(Number(await output(child))).toBeLessThan(8);
  });

  test('folders above a listed path can be passed, and hold nothing else', async (context) => {
    if (!works.get(level)) context.skip(`${level} doesn't work for this user`);
    const child = start(level, '/bin/ls', ['/', join(import.meta.dirname, '../..')]);
    const seen = (await output(child)).split('\n');
    expect(seen).toContain('node_modules');
    for (const absent of ['.git', 'home', 'root', 'var', 'grader']) expect(seen).not.toContain(absent);
  });
});

test('a command that can’t be executed ends with an error, not with a crash of the caller', async () => {
  const child = start('process', '/bin/true', []);
  expect((await child.ended).code).toBe(0);
  expect(() => start('process', '/nonexistent', [])).toThrow(/ENOENT/);
});
