import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, RunningEngine } from '../engines/engine.ts';
import type { ProcessLevel } from '../isolation/level.ts';
import { slotUid } from '../isolation/slotUid.ts';
import type { ReplaySlots } from '../slots.ts';
import type { TrackModel } from './trackModel.ts';
import { warmUp } from './warmUp.ts';

/** Where a replay's processes run and have their sockets. */
export type ReplayBox = {
  readonly level: ProcessLevel;
  readonly slots: ReplaySlots;
  /** A folder with a short name; each process gets one of its own in it. */
  readonly socketsDir: string;
};

/** The uid of a slot where the level has uids, else null. */
export function uidAt(box: Pick<ReplayBox, 'level'>, slot: number): number | null {
  return box.level === 'process+uid+netns' ? slotUid(slot) : null;
}

/** A new folder for one process's socket. */
export async function socketDir(box: ReplayBox, name: string): Promise<string> {
  const dir = join(box.socketsDir, name);
  await mkdir(dir, { mode: 0o700 });
  return dir;
}

const warmUpTimeoutMs = 60_000;

/**
 * Starts an engine and has it serve a first few tokens: only then are weights loaded.
 *
 * name    of its socket folder, new for each start
 * throws  EngineFailure or WarmUpFailed; nothing is left running.
 */
export async function startEngine(
  input: {
    readonly engine: Engine;
    readonly weightsPath: string;
    readonly weightsDigest: string;
    readonly model: TrackModel;
    readonly slot: number;
    readonly name: string;
  },
  deps: { readonly box: ReplayBox; readonly signal: AbortSignal },
): Promise<RunningEngine> {
  const { box, signal } = deps;
  const running = await input.engine.start({
    weightsPath: input.weightsPath,
    weightsDigest: input.weightsDigest,
    settings: input.model.engine,
    workDir: await socketDir(box, input.name),
    isolation: { level: box.level, uid: uidAt(box, input.slot), peerGid: uidAt(box, box.slots.proxy) },
    signal,
  });
  try {
    await warmUp(running.socketPath, input.model.proxy, { timeoutMs: warmUpTimeoutMs, signal });
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}
