import { createHash } from 'node:crypto';
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { codePaths } from '../isolation/codePaths.ts';
import { readLines } from '../isolation/readLines.ts';
import { type IsolatedProcess, spawnIsolated } from '../isolation/spawnIsolated.ts';
import { tailOf } from '../isolation/tailOf.ts';
import {
  type Engine,
  type EngineFacts,
  EngineFailure,
  type EngineStart,
  type RunningEngine,
} from './engine.ts';
import { type ServerConfig, type ServerMessage, serverMessage } from './serverProtocol.ts';
import { chatTemplates } from './serving/chatTemplate.ts';

/** GGUF on the CPU with llama.cpp, in a process of its own that may die of its weights. */
export const llamaCpp: Engine = { name: 'llama.cpp', start };

const stopGraceMs = 1_000;
/** V8's heap, the library's buffers and thread stacks; the weights are mapped and don't count. */
const openFilesMax = 1_024;
const processesMax = 64;
const cpuSecondsMax = 24 * 3_600;

async function start(input: EngineStart): Promise<RunningEngine> {
  const socketPath = join(input.workDir, 'engine.sock');
  if (Buffer.byteLength(socketPath) > 107)
    throw new Error(`${socketPath} is too long for a unix socket (107 bytes)`);
  prepare(input);
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(input.settings.loadTimeoutMs);
  const child = spawnIsolated({
    level: input.isolation.level,
    command: process.execPath,
    args: [join(import.meta.dirname, 'llamaCppServer.ts')],
    env: { HOME: input.workDir, NODE_NO_WARNINGS: '1' },
    uid: input.isolation.uid,
    groups: [],
    readOnlyPaths: [...codePaths(), input.weightsPath],
    writableDir: input.workDir,
    limits: {
      memoryBytesMax: input.settings.memoryBytesMax,
      openFilesMax,
      fileBytesMax: 0,
      processesMax,
      cpuSecondsMax,
    },
    signal: input.signal,
  });
  const tail = tailOf(child.stderr);
  const failure = async (phase: 'loading' | 'serving', reason: EngineFailure['reason'], message = '') => {
    const end = await child.kill();
    return new EngineFailure({
      phase,
      reason: input.signal.aborted ? 'aborted' : reason,
      exitCode: end.code,
      exitSignal: end.signal,
      durationMs: performance.now() - startedMs,
      stderrTail: message === '' ? tail() : `${message}\n${tail()}`,
    });
  };

  const config: ServerConfig = { weightsPath: input.weightsPath, socketPath, settings: input.settings };
  child.stdin.write(`${JSON.stringify(config)}\n`);
  const first = await firstMessage(child, timeout);
  if (first === 'timeout') throw await failure('loading', 'timeout');
  if (first === 'ended') throw await failure('loading', 'exit');
  if (first.kind === 'refused') throw await failure('loading', 'refused', first.message);

  let isStopping = false;
  return {
    socketPath,
    facts: {
      engine: llamaCpp.name,
      version: installedVersion(),
      weightsDigest: input.weightsDigest,
      template: input.settings.template,
      templateDigest: createHash('sha256')
        .update(chatTemplates[input.settings.template].source)
        .digest('hex'),
      threads: input.settings.threads,
      flags: flagsOf(input.settings),
      isolation: input.isolation.level,
    },
    ended: child.ended.then(() => (isStopping ? null : failure('serving', 'exit'))),
    async stop() {
      isStopping = true;
      child.stdin.end();
      const timer = setTimeout(() => void child.kill(), stopGraceMs);
      await child.ended;
      clearTimeout(timer);
    },
  };
}

/** Of the package as this process sees it installed: the engine's own word would be that of hostile weights. */
function installedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('node-llama-cpp'));
  const { version } = z
    .object({ version: z.string().regex(/^[0-9a-z.+-]{1,40}$/i) })
    .parse(JSON.parse(readFileSync(manifest, 'utf8')));
  return `node-llama-cpp ${version}`;
}

/** What serving/llamaGenerator.ts loads any weights with. */
function flagsOf(settings: EngineStart['settings']): EngineFacts['flags'] {
  return {
    gpu: false,
    flashAttention: false,
    contextTokens: settings.contextTokensMax,
    sequences: settings.concurrencyMax,
  };
}

function prepare(input: EngineStart): void {
  const { uid, peerGid } = input.isolation;
  if (uid === null) {
    chmodSync(input.workDir, 0o700);
    return;
  }
  if ((statSync(input.weightsPath).mode & 0o004) === 0) {
    throw new Error(`${input.weightsPath} must be readable by others (0444): the engine's uid owns nothing`);
  }
  chownSync(input.workDir, uid, peerGid ?? uid);
  // Set-group-id: the socket gets the proxy's group; the group may pass through but not list.
  chmodSync(input.workDir, 0o2710);
}

async function firstMessage(
  child: IsolatedProcess,
  timeout: AbortSignal,
): Promise<ServerMessage | 'timeout' | 'ended'> {
  const line = Promise.withResolvers<ServerMessage | 'ended'>();
  readLines(child.stdout, 16_384, (text) => {
    const parsed = serverMessage.safeParse(parseJson(text));
    line.resolve(parsed.success ? parsed.data : { kind: 'refused', message: 'the engine answered nonsense' });
  });
  void child.ended.then(() => line.resolve('ended'));
  const late = Promise.withResolvers<'timeout'>();
  timeout.addEventListener('abort', () => late.resolve('timeout'), { once: true });
  return Promise.race([line.promise, late.promise]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
