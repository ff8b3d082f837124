import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeIsolation, problemsOf } from './probeIsolation.ts';
import { spawnIsolated } from './spawnIsolated.ts';

const signal = new AbortController().signal;
const isRoot = process.getuid?.() === 0;
const status = 'Name:\tnode\nNoNewPrivs:\t1\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n';
const net = 'Inter-| Receive\n face |bytes\n    lo: 0 0 0\n';
const good = {
  ...{ uid: 1_900_000_007, status, net, secret: null, wroteReadOnly: false, wroteOwn: true },
  ...{ environment: ['HOME'], connected: false },
};
const expected = { uid: 1_900_000_007, isConnected: false };

test('a report without a contradiction proves the level', () => {
  expect(problemsOf(good, expected)).toEqual([]);
});

test.each([
  ['it reached the host’s loopback', { connected: true }],
  ['a network interface', { net: `${net}  eth0: 0 0\n` }],
  ['a network list it can’t show', { net: null }],
  ['a file of the host’s', { secret: 'secret' }],
  ['writable code', { wroteReadOnly: true }],
  ['no writable folder', { wroteOwn: false }],
  ['new privileges allowed', { status: status.replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0') }],
  ['a capability', { status: status.replace('CapEff:\t0', 'CapEff:\t1') }],
  ['an unreadable status', { status: null }],
  ['another uid', { uid: 0 }],
  ['an inherited variable', { environment: ['HOME', 'DATABASE_URL'] }],
])('%s disproves it', (_, change) => {
  expect(problemsOf({ ...good, ...change }, expected)).not.toEqual([]);
});

test('a connection that only the listener saw disproves it', () => {
  expect(problemsOf(good, { ...expected, isConnected: true })).toEqual(["it reached the host's loopback"]);
});

test('as root the strongest process level is proven on this host', async (context) => {
  if (!isRoot) context.skip('needs root');
  const outcome = await probeIsolation({ slot: 900_002 }, { signal });
  expect(outcome).toMatchObject({ level: 'process+uid+netns' });
});

test('without root the user-namespace level is the strongest that is claimed', async (context) => {
  if (!isRoot) context.skip('switches to an ordinary user, which needs root');
  if (!existsSync('/usr/bin/setpriv')) context.skip('needs setpriv');
  const code = `import { probeIsolation } from ${JSON.stringify(join(import.meta.dirname, 'probeIsolation.ts'))};
    console.log(JSON.stringify(await probeIsolation({ slot: 0 }, { signal: new AbortController().signal })));`;
  const child = spawn(
    '/usr/bin/setpriv',
    [
      '--reuid',
      '1000',
      '--regid',
      '1000',
      '--clear-groups',
      process.execPath,
      '--input-type=module',
      '-e',
      code,
    ],
    { env: { HOME: '/' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  for await (const part of child.stdout) text += part;
  if (text === '') context.skip('an ordinary user can’t enter this folder');
  const outcome = JSON.parse(text);
  expect(['process+netns', 'process']).toContain(outcome.level);
  expect(outcome.tried[0]).toEqual({ level: 'process+uid+netns', problems: ['the runner is not root'] });
});

test('the same child without namespaces reaches all that the probe asks for: the probe can tell', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'vtb-q-'));
  writeFileSync(join(dir, 'secret'), 'secret');
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const input = {
    port,
    host: '127.0.0.1',
    secretPath: join(dir, 'secret'),
    readOnlyFile: join(dir, 'code'),
    writableDir: dir,
  };
  const child = spawnIsolated({
    ...{
      level: 'process',
      command: process.execPath,
      uid: null,
      groups: [],
      readOnlyPaths: [],
      writableDir: dir,
      signal,
    },
    args: [join(import.meta.dirname, 'probeChild.ts'), JSON.stringify(input)],
    env: { HOME: dir },
    limits: {
      memoryBytesMax: 2 ** 30,
      openFilesMax: 64,
      fileBytesMax: 4096,
      processesMax: 64,
      cpuSecondsMax: 10,
    },
  });
  let text = '';
  for await (const part of child.stdout) text += part;
  server.close();
  rmSync(dir, { recursive: true, force: true });
  const problems = problemsOf(JSON.parse(text), { uid: null, isConnected: false });
  expect(problems).toEqual(
    expect.arrayContaining([
      ...["it reached the host's loopback", "it read a file of the host's", 'it wrote to its own code'],
    ]),
  );
  if (isRoot) expect(problems).not.toContain('it holds capabilities');
});
