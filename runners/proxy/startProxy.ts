import { chmodSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codePaths } from '../isolation/codePaths.ts';
import type { ProcessLevel } from '../isolation/level.ts';
import { readLines } from '../isolation/readLines.ts';
import { spawnIsolated } from '../isolation/spawnIsolated.ts';
import { tailOf } from '../isolation/tailOf.ts';
import {
  type ProxyCommand,
  type ProxyConfig,
  type ProxyEvent,
  proxyEvent,
  type TrialTotals,
  type UsageRecord,
} from './proxyProtocol.ts';

/** What a proxy is started with. */
export type ProxyStart = {
  readonly engineSocket: string;
  readonly engineCancels: boolean;
  readonly settings: ProxyConfig['settings'];
  readonly limits: ProxyConfig['limits'];
  readonly listenPort: number | null;
  /** A short-named folder of the caller's for the listening socket; the proxy's from now on. */
  readonly workDir: string;
  readonly isolation: {
    readonly level: ProcessLevel;
    /** uid = gid at `process+uid+netns` (the gid that the engine's socket is open to), else null. */
    readonly uid: number | null;
    /** A gid that may connect to the proxy; null for root and the proxy's own uid only. */
    readonly peerGid: number | null;
  };
  readonly startTimeoutMs: number;
  readonly memoryBytesMax: number;
  readonly signal: AbortSignal;
};

/** One replay's proxy. */
export type RunningProxy = {
  readonly socketPath: string;
  readonly port: number | null;
  /** Resolves when the token is admitted. */
  openTrial(trial: Omit<Extract<ProxyCommand, { kind: 'openTrial' }>, 'kind'>): Promise<void>;
  /** Refuses the token from now on, ends what is running, and resolves with the trial's totals. */
  closeTrial(trial: string): Promise<TrialTotals>;
  /** Resolves once: null after `stop`, else the failure. Never rejects. */
  readonly ended: Promise<ProxyFailure | null>;
  stop(): Promise<void>;
};

/** The proxy's process died, or said something it never says. It ends the replay and nothing else. */
export class ProxyFailure extends Error {
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly stderrTail: string;

  constructor(
    what: string,
    facts: { exitCode: number | null; exitSignal: string | null; stderrTail: string },
  ) {
    super(`model proxy ${what} (${facts.exitSignal ?? facts.exitCode ?? 'no exit status'})`);
    this.name = 'ProxyFailure';
    this.exitCode = facts.exitCode;
    this.exitSignal = facts.exitSignal;
    this.stderrTail = facts.stderrTail;
  }
}

const stopGraceMs = 1_000;
const commandTimeoutMs = 10_000;
const eventBytesMax = 16_384;

/**
 * Starts the model proxy as its own isolated process.
 *
 * onUsage   gets one record per admitted request; all of a trial's come before its `closeTrial` resolves
 * throws    ProxyFailure when it doesn't become ready
 */
export async function startProxy(
  input: ProxyStart,
  deps: { readonly onUsage: (usage: UsageRecord) => void },
): Promise<RunningProxy> {
  const socketPath = join(input.workDir, 'proxy.sock');
  const { uid, peerGid } = input.isolation;
  if (uid !== null) chownSync(input.workDir, uid, peerGid ?? uid);
  chmodSync(input.workDir, uid === null ? 0o700 : 0o2710);
  const child = spawnIsolated({
    level: input.isolation.level,
    command: process.execPath,
    args: [join(import.meta.dirname, 'main.ts')],
    env: { HOME: input.workDir, NODE_NO_WARNINGS: '1' },
    uid,
    groups: [],
    readOnlyPaths: [...codePaths(), dirname(input.engineSocket)],
    writableDir: input.workDir,
    limits: {
      memoryBytesMax: input.memoryBytesMax,
      openFilesMax: input.limits.connectionsMax + input.limits.concurrencyMax + 64,
      fileBytesMax: 0,
      processesMax: 64,
      cpuSecondsMax: 24 * 3_600,
    },
    signal: input.signal,
  });
  const tail = tailOf(child.stderr);
  const waiting = new Map<string, { resolve: (event: ProxyEvent) => void; reject: (error: Error) => void }>();
  let isStopping = false;
  let nonsense: string | null = null;
  let failure: ProxyFailure | null = null;
  const ended = child.ended.then((end) => {
    const what = nonsense ?? 'ended';
    failure = new ProxyFailure(what, { exitCode: end.code, exitSignal: end.signal, stderrTail: tail() });
    for (const w of waiting.values()) w.reject(failure);
    waiting.clear();
    return isStopping ? null : failure;
  });
  readLines(child.stdout, eventBytesMax, (line) => {
    const parsed = proxyEvent.safeParse(parseJson(line));
    if (!parsed.success) {
      nonsense = 'sent an unknown event';
      void child.kill();
      return;
    }
    const event = parsed.data;
    if (event.kind === 'usage') {
      const { kind: _, ...usage } = event;
      deps.onUsage(usage);
      return;
    }
    const key = event.kind === 'ready' ? 'ready' : `${event.kind} ${event.trial}`;
    waiting.get(key)?.resolve(event);
    waiting.delete(key);
  });
  const expect = (key: string, line: unknown, timeoutMs: number): Promise<ProxyEvent> => {
    if (failure !== null) return Promise.reject(failure);
    if (waiting.has(key)) return Promise.reject(new Error(`${key} is awaited already`));
    const answer = new Promise<ProxyEvent>((resolve, reject) => waiting.set(key, { resolve, reject }));
    child.stdin.write(`${JSON.stringify(line)}\n`);
    const timer = setTimeout(() => {
      nonsense = `didn't answer within ${timeoutMs} ms (${key})`;
      void child.kill();
    }, timeoutMs);
    return answer.finally(() => clearTimeout(timer));
  };

  const config: ProxyConfig = {
    engineSocket: input.engineSocket,
    engineCancels: input.engineCancels,
    listenSocket: socketPath,
    listenPort: input.listenPort,
    settings: input.settings,
    limits: input.limits,
  };
  const ready = await expect('ready', config, input.startTimeoutMs);
  // Closing waits for the counts of what is running, which the proxy itself bounds.
  const closeTimeoutMs = input.limits.requestTimeoutMs + 2 * input.limits.drainTimeoutMs + commandTimeoutMs;
  const open = new Set<string>();

  return {
    socketPath,
    port: ready.kind === 'ready' ? ready.port : null,
    async openTrial(trial) {
      if (open.has(trial.trial)) throw new Error(`trial ${trial.trial} is open already`);
      open.add(trial.trial);
      await expect(`opened ${trial.trial}`, { kind: 'openTrial', ...trial }, commandTimeoutMs);
    },
    async closeTrial(trial) {
      if (!open.delete(trial)) throw new Error(`trial ${trial} is not open`);
      const event = await expect(`closed ${trial}`, { kind: 'closeTrial', trial }, closeTimeoutMs);
      if (event.kind !== 'closed') throw new Error(`unexpected ${event.kind}`);
      const { kind: _, ...totals } = event;
      return totals;
    },
    ended,
    async stop() {
      isStopping = true;
      child.stdin.end();
      const kill = setTimeout(() => void child.kill(), stopGraceMs);
      await child.ended;
      clearTimeout(kill);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
