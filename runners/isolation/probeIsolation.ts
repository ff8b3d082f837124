import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { codePaths } from './codePaths.ts';
import { type ProcessLevel, processLevels } from './level.ts';
import { slotUid } from './slotUid.ts';
import { spawnIsolated } from './spawnIsolated.ts';

/** One level's probe: `problems` empty means proven. */
export type ProbeResult = { readonly level: ProcessLevel; readonly problems: readonly string[] };

/** The strongest proven level, and what each try showed, strongest first. */
export type ProbeOutcome = { readonly level: ProcessLevel; readonly tried: readonly ProbeResult[] };

const probeTimeoutMs = 15_000;

/**
 * Proves an isolation level by running a real child at it, and returns the strongest proven one.
 *
 * The child must not reach a listener that this probe itself opened on the host's loopback (which the probe
 * reaches, so a dead listener proves nothing), must not read a world-readable file outside its box, must not
 * write to its code, must have no capabilities and no new privileges, see no variable it wasn't given, and at
 * `process+uid+netns` run under the slot's uid. Level `process` claims none of that and must only start.
 *
 * slot     a leased slot for the probe's uid
 * throws   Error when not even a plain process starts.
 */
export async function probeIsolation(
  input: { readonly slot: number; readonly levels?: readonly ProcessLevel[] },
  deps: { readonly signal: AbortSignal },
): Promise<ProbeOutcome> {
  const tried: ProbeResult[] = [];
  for (const level of input.levels ?? processLevels) {
    const result = await probeLevel(level, input.slot, deps.signal);
    tried.push(result);
    if (result.problems.length === 0) return { level, tried };
  }
  const why = tried.map((t) => `${t.level}: ${t.problems.join('; ')}`).join('\n');
  throw new Error(`no isolation level works on this host:\n${why}`);
}

async function probeLevel(level: ProcessLevel, slot: number, signal: AbortSignal): Promise<ProbeResult> {
  const needsRoot = level === 'process+uid+netns';
  if (needsRoot && process.getuid?.() !== 0) return { level, problems: ['the runner is not root'] };
  const dir = mkdtempSync(join(tmpdir(), 'vtb-probe-'));
  const listener = await listen();
  try {
    if (!(await reaches(listener.port)))
      return { level, problems: ['the probe cannot reach its own listener'] };
    const seenBefore = listener.seen();
    const uid = needsRoot ? slotUid(slot) : null;
    const report = await runChild({ level, uid, dir, port: listener.port, signal });
    if (typeof report === 'string') return { level, problems: [report] };
    if (level === 'process') return { level, problems: [] };
    return { level, problems: problemsOf(report, { uid, isConnected: listener.seen() > seenBefore }) };
  } finally {
    listener.server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const probeReport = z.object({
  uid: z.number(),
  status: z.string().nullable(),
  net: z.string().nullable(),
  secret: z.string().nullable(),
  wroteReadOnly: z.boolean(),
  wroteOwn: z.boolean(),
  environment: z.array(z.string()),
  connected: z.boolean(),
});

/** What in a child's report contradicts an isolating level; exported so that each rule has a test. */
export function problemsOf(
  report: z.infer<typeof probeReport>,
  expected: { readonly uid: number | null; readonly isConnected: boolean },
): readonly string[] {
  const field = (name: string) =>
    report.status?.match(new RegExp(`^${name}:\\s+(\\S+)`, 'm'))?.[1] ?? 'unknown';
  const interfaces = (report.net ?? '').split('\n').flatMap((l) => l.match(/^\s*([^:\s]+):/)?.[1] ?? []);
  const checks: readonly (readonly [boolean, string])[] = [
    [report.connected || expected.isConnected, "it reached the host's loopback"],
    [
      report.net === null ||
        interfaces.some((i) => !/^(lo|sit0|tunl0|ip6tnl0|gre.*|erspan0|ip.*vti0)$/.test(i)),
      'it has a network interface',
    ],
    [report.secret !== null, "it read a file of the host's"],
    [report.wroteReadOnly, 'it wrote to its own code'],
    [!report.wroteOwn, 'it cannot write to its own folder'],
    [field('NoNewPrivs') !== '1', 'no_new_privs is not set'],
    [!/^0+$/.test(field('CapEff')) || !/^0+$/.test(field('CapBnd')), 'it holds capabilities'],
    [
      expected.uid !== null && report.uid !== expected.uid,
      `it runs as uid ${report.uid}, not ${expected.uid}`,
    ],
    [report.environment.join() !== 'HOME', `it sees other variables: ${report.environment.join(', ')}`],
  ];
  return checks.flatMap(([isBad, text]) => (isBad ? [text] : []));
}

async function runChild(p: {
  level: ProcessLevel;
  uid: number | null;
  dir: string;
  port: number;
  signal: AbortSignal;
}) {
  const [secretDir, codeDir, writableDir] = ['secret', 'code', 'own'].map((n) => join(p.dir, n)) as [
    string,
    string,
    string,
  ];
  for (const d of [secretDir, codeDir, writableDir]) mkdirSync(d);
  writeFileSync(join(secretDir, 'file'), 'secret', { mode: 0o644 });
  writeFileSync(join(codeDir, 'file'), 'code');
  // World-writable on purpose: only a read-only mount can keep the child from writing to it.
  chmodSync(join(codeDir, 'file'), 0o666);
  chmodSync(p.dir, 0o755);
  if (p.uid !== null) chownSync(writableDir, p.uid, p.uid);
  const input = {
    port: p.port,
    host: '127.0.0.1',
    secretPath: join(secretDir, 'file'),
    readOnlyFile: join(codeDir, 'file'),
    writableDir,
  };
  const child = spawnIsolated({
    level: p.level,
    command: process.execPath,
    args: [join(import.meta.dirname, 'probeChild.ts'), JSON.stringify(input)],
    env: { HOME: writableDir },
    uid: p.uid,
    groups: [],
    readOnlyPaths: [...codePaths(), codeDir],
    writableDir,
    limits: {
      memoryBytesMax: 2 ** 30,
      openFilesMax: 128,
      fileBytesMax: 4096,
      processesMax: 64,
      cpuSecondsMax: 10,
    },
    signal: AbortSignal.any([p.signal, AbortSignal.timeout(probeTimeoutMs)]),
  });
  const [out, err, end] = await Promise.all([readAll(child.stdout), readAll(child.stderr), child.ended]);
  if (end.code !== 0)
    return `the probe's child ended with ${end.code ?? end.signal ?? end.error}: ${err.trim()}`;
  const parsed = probeReport.safeParse(attemptJson(out));
  return parsed.success ? parsed.data : `the probe's child answered nonsense: ${out.slice(0, 200)}`;
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const outputBytesMax = 65_536;

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream) if (text.length < outputBytesMax) text += part.toString();
  return text;
}

async function listen(): Promise<{ server: Server; port: number; seen: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the probe has no port');
  return { server, port: address.port, seen: () => connections };
}

function reaches(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
    const answer = (value: boolean) => () => {
      socket.destroy();
      resolve(value);
    };
    // The listener counts a connection before it closes it, so `close` comes after the count.
    socket.once('close', answer(true));
    socket.once('error', answer(false));
    socket.once('timeout', answer(false));
    socket.resume();
  });
}
