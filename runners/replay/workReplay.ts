import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClaimedTrial, Finish, ReplayLease } from '@vtb/protocol/wire/desk.ts';
import type { DeskClient } from '../desk/deskClient.ts';
import { isLost } from '../desk/deskFailure.ts';
import { type Heart, LeaseLost, startHeart } from '../desk/heart.ts';
import { driverNamed } from '../drivers/registry.ts';
import { engineNamed } from '../engines/registry.ts';
import { placeQueue } from '../engines/serving/placeQueue.ts';
import type { ProcessLevel } from '../isolation/level.ts';
import { errorFields, type Log } from '../log.ts';
import type { ReplaySlots } from '../slots.ts';
import { fetchSystem } from '../weights/fetchSystem.ts';
import { writeWeights } from '../weights/writeWeights.ts';
import { newCalibration } from './calibration.ts';
import { engineDigest } from './engineDigest.ts';
import { environmentOf } from './environment.ts';
import { idleFailure } from './idleFailure.ts';
import { ReplayFailed } from './replayFailed.ts';
import { makeReplayFolder, removeReplayFolder } from './replayFolder.ts';
import { startModel } from './startModel.ts';
import { trackModel } from './trackModel.ts';
import { usageBook } from './usageBook.ts';
import { wallClockMs } from './wallClock.ts';
import { workTrials } from './workTrials.ts';

/** What a runner replays with. */
export type ReplayDeps = {
  readonly desk: DeskClient;
  readonly level: ProcessLevel;
  readonly leaseSlots: () => ReplaySlots;
  readonly hardware: string;
  /** The runner's work folder; each replay has a folder of its own in it. */
  readonly workDir: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
};

/** Beside the engine's file, what must stay free on its disk. */
const freeBytesMin = 256 * 1024 * 1024;
/** A runner that stops waits this long for a desk that doesn't answer; another as long as its lease. */
const stoppingTimeoutMs = 5_000;
/** Times in a row that the engine breaks without a trial ending. */
const idleBreaksMax = 3;

/**
 * One replay from its lease to its finish: weights, engine, proxy, trials, and everything away again.
 *
 * A lost lease ends all of it within seconds, and nothing more is sent about it. A stopping runner finishes as
 * `released`. Never throws but for mistakes in cleaning up.
 */
export async function workReplay(lease: ReplayLease, deps: ReplayDeps): Promise<void> {
  const { desk, log } = deps;
  const about = { replay: lease.replay, track: lease.track.id, attempt: lease.attempt };
  log('info', 'replay.started', about);
  const heart = startHeart(lease, deps);
  const folder = join(deps.workDir, lease.replay);
  const clock = { engineMs: 0 };
  let result: Finish['result'] | 'lost';
  try {
    const signal = AbortSignal.any([heart.lost, deps.stopping]);
    result = await replayIn(folder, { lease, heart, clock }, { ...deps, signal }).catch((error: unknown) =>
      endOf(error, heart, deps),
    );
  } finally {
    await removeReplayFolder(folder);
  }
  try {
    if (result === 'lost') return log('warn', 'replay.lost', about);
    const body = { fencing: lease.fencing, result, engineMs: Math.round(clock.engineMs) };
    await desk.finish(
      lease.replay,
      body,
      AbortSignal.any([
        heart.lost,
        AbortSignal.timeout(deps.stopping.aborted ? stoppingTimeoutMs : lease.leaseMs),
      ]),
    );
    log('info', 'replay.finished', { ...about, ...result, engineMs: body.engineMs });
  } catch (error) {
    log('warn', 'replay.notFinished', { ...about, ...errorFields(error) });
  } finally {
    await heart.stop();
  }
}

type Work = { readonly lease: ReplayLease; readonly heart: Heart; readonly clock: { engineMs: number } };

async function replayIn(
  folder: string,
  { lease, heart, clock }: Work,
  deps: ReplayDeps & { readonly signal: AbortSignal },
): Promise<Finish['result']> {
  const { desk, signal, log } = deps;
  const { track } = lease;
  const [engine, driver] = [engineNamed(track.engine.name), driverNamed(track.driver)];
  const socketsDir = await makeReplayFolder(folder);
  const box = { level: deps.level, slots: deps.leaseSlots(), socketsDir };
  const held = { id: lease.replay, fencing: lease.fencing };
  const chunk = (sha256: string) => desk.chunk(held, sha256, signal);
  const asset = (sha256: string) => desk.asset(held, sha256, signal);

  const system = await fetchSystem({ system: lease.system, track }, { chunk, asset });
  const model = trackModel(track, system.base.fileSize);
  await needRoom(folder, system.base.fileSize);
  const weightsPath = join(folder, 'weights.gguf');
  const weightsDigest = await writeWeights({ system, path: weightsPath }, { chunk, signal });
  log('info', 'weights.written', { replay: lease.replay, weights: weightsDigest });

  const calibration = newCalibration({ engine, model, system }, { box, workDir: folder, log, signal });
  const usage = usageBook();
  const limits = wallClockMs(track);
  const { concurrency, version: engineVersion } = track.engine;
  const start = { engine, engineVersion, model, weightsPath, weightsDigest, concurrency };
  const codeDigest = engineDigest(engine.name);
  let idleBreaks = 0;
  let carried: readonly ClaimedTrial[] = [];
  for (let starts = 1; ; starts += 1) {
    const running = await startModel({ ...start, requestTimeoutMs: limits.requestMs }, starts, {
      ...{ box, calibration, onUsage: usage.add, log, signal },
    });
    log('info', 'model.up', { replay: lease.replay, starts });
    try {
      const environment = environmentOf({
        facts: running.engine.facts,
        engineDigest: codeDigest,
        hardware: deps.hardware,
      });
      const places = placeQueue(concurrency, concurrency);
      const end = await workTrials(
        { lease, environment, model: running, carried, room: 2 * concurrency },
        {
          ...{ desk, heart, driver, calibration, log, signal, proxy: running.proxy },
          enter: (waiting) => places.enter(waiting) ?? Promise.reject(new Error('more trials than places')),
          broken: new AbortController(),
          takeUsage: usage.take,
          newToken: () => randomBytes(32).toString('base64url'),
          wallClockMs: limits.trialMs,
        },
      );
      if (end.kind === 'done') return { kind: 'done' };
      if (end.kind === 'proxyDown') throw ReplayFailed.ours('runner', 'the model proxy died');
      carried = end.untouched;
      idleBreaks = end.ended > 0 ? 0 : idleBreaks + 1;
      log('warn', 'engine.broke', { replay: lease.replay, starts, ended: end.ended });
      if (idleBreaks >= idleBreaksMax) throw await idleFailure(calibration);
    } finally {
      clock.engineMs += await running.stop();
    }
  }
}

function endOf(error: unknown, heart: Heart, deps: ReplayDeps): Finish['result'] | 'lost' {
  if (heart.lost.aborted || error instanceof LeaseLost || isLost(error)) return 'lost';
  if (deps.stopping.aborted) return { kind: 'released' };
  deps.log('error', 'replay.failed', errorFields(error));
  if (error instanceof ReplayFailed) return error.result;
  return { kind: 'failed', fault: 'ours', cause: 'runner' };
}

async function needRoom(folder: string, fileSize: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < fileSize + freeBytesMin) {
    throw ReplayFailed.ours(
      'runner',
      `the work folder has ${free} bytes free; ${fileSize + freeBytesMin} are needed`,
    );
  }
}
