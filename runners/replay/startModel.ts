import { type Engine, EngineFailure, type RunningEngine } from '../engines/engine.ts';
import { errorFields, type Log } from '../log.ts';
import type { UsageRecord } from '../proxy/proxyProtocol.ts';
import { type RunningProxy, startProxy } from '../proxy/startProxy.ts';
import type { Calibration } from './calibration.ts';
import { ReplayFailed } from './replayFailed.ts';
import { type ReplayBox, socketDir, startEngine, uidAt } from './startEngine.ts';
import type { TrackModel } from './trackModel.ts';
import { WarmUpFailed } from './warmUp.ts';

/** A system that is being served: the engine, and the proxy in front of it. */
export type RunningModel = {
  readonly engine: RunningEngine;
  readonly proxy: RunningProxy;
  /** Resolves once when one of them died by itself. */
  readonly down: Promise<'engine' | 'proxy'>;
  /** Ends both. Returns the engine's milliseconds, up to down. */
  stop(): Promise<number>;
};

/** What a replay's model is started with; the same for every start of a replay. */
export type ModelStart = {
  readonly engine: Engine;
  readonly engineVersion: string;
  readonly model: TrackModel;
  readonly weightsPath: string;
  readonly weightsDigest: string;
  /** One request at the engine, at most. */
  readonly requestTimeoutMs: number;
  readonly concurrency: number;
};

type ModelDeps = {
  readonly box: ReplayBox;
  readonly calibration: Calibration;
  readonly onUsage: (usage: UsageRecord) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
};

const loadTriesMax = 2;

/**
 * Serves a system: engine, first tokens, proxy.
 *
 * Whose fault a load is that fails: it is tried a second time; when that fails too and the calibration system serves,
 * the weights can't be loaded (the system's); when it doesn't, the engine or the host is broken (ours).
 *
 * start   the number of this start in its replay
 * throws  ReplayFailed; nothing is left running.
 */
export async function startModel(input: ModelStart, start: number, deps: ModelDeps): Promise<RunningModel> {
  const engine = await loadedEngine(input, start, deps);
  const upMs = performance.now();
  try {
    if (engine.facts.version !== input.engineVersion) {
      const found = `${engine.facts.version}, not the track's ${input.engineVersion}`;
      throw ReplayFailed.ours('engine', `this host's engine is ${found}`);
    }
    const proxy = await startProxy(await proxyStart(input, start, engine, deps), deps);
    return {
      engine,
      proxy,
      down: whichEnds(engine, proxy),
      async stop() {
        await Promise.all([proxy.stop(), engine.stop()]);
        return performance.now() - upMs;
      },
    };
  } catch (error) {
    await engine.stop();
    deps.signal.throwIfAborted();
    throw error instanceof ReplayFailed
      ? error
      : ReplayFailed.ours('runner', 'the proxy did not start', error);
  }
}

async function loadedEngine(input: ModelStart, start: number, deps: ModelDeps): Promise<RunningEngine> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { engine, weightsPath, weightsDigest, model } = input;
      const slot = deps.box.slots.engine;
      const name = `e${start}-${tries}`;
      return await startEngine({ engine, weightsPath, weightsDigest, model, slot, name }, deps);
    } catch (error) {
      deps.signal.throwIfAborted();
      // Anything else is a mistake of ours, which no second try mends.
      if (!(error instanceof EngineFailure || error instanceof WarmUpFailed))
        throw ReplayFailed.ours('runner', 'the engine could not be started', error);
      // No task has reached the engine yet, so what it said holds none.
      const said = error instanceof EngineFailure ? { said: error.stderrTail.slice(-500) } : {};
      deps.log('warn', 'engine.notLoaded', { tries, ...errorFields(error), ...said });
      if (tries < loadTriesMax) continue;
      throw (await deps.calibration.blame()) === 'system'
        ? ReplayFailed.system('weightsUnloadable', 'the engine serves other weights here, not these', error)
        : ReplayFailed.ours('engine', 'the engine serves no weights here', error);
    }
  }
}

/** Bodies of a prompt task: 20,000 characters of problem, in JSON. */
const bodyBytesMax = 1024 * 1024;
const answerBytesMax = 32 * 1024 * 1024;

async function proxyStart(input: ModelStart, start: number, engine: RunningEngine, deps: ModelDeps) {
  const { box } = deps;
  return {
    engineSocket: engine.socketPath,
    engineCancels: true,
    settings: input.model.proxy,
    limits: {
      bodyBytesMax,
      pendingBytesMax: 16 * bodyBytesMax,
      connectionsMax: 64 + 4 * input.concurrency,
      concurrencyMax: input.concurrency,
      waitingMax: 2 * input.concurrency,
      requestTimeoutMs: input.requestTimeoutMs,
      drainTimeoutMs: 5_000,
      answerBytesMax,
      contextTokensMax: input.model.engine.contextTokensMax,
    },
    listenPort: null,
    workDir: await socketDir(box, `p${start}`),
    isolation: { level: box.level, uid: uidAt(box, box.slots.proxy), peerGid: null },
    startTimeoutMs: 60_000,
    memoryBytesMax: 2 ** 30,
    signal: deps.signal,
  };
}

function whichEnds(engine: RunningEngine, proxy: RunningProxy): Promise<'engine' | 'proxy'> {
  return new Promise((resolve) => {
    void engine.ended.then((failure) => failure !== null && resolve('engine'));
    void proxy.ended.then((failure) => failure !== null && resolve('proxy'));
  });
}
