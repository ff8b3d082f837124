import { availableParallelism } from 'node:os';
import { type BlockPool, openBlockPool } from './blockPool.ts';
import { type HashPool, openHashPool } from './hashPool.ts';
import type { Pace } from './steadyParts.ts';

/** What all uploads into one gateway share: memory, hashing threads, and the pace they have to keep. */
export interface Intake extends AsyncDisposable {
  readonly blocks: BlockPool;
  readonly hashes: HashPool;
  readonly pace: Pace;
}

/** Bounds of what uploads may take of a process. */
export interface IntakeConfig {
  readonly blocksMax: number;
  readonly threadsMax: number;
  readonly pace: Pace;
}

/**
 * The bounds of a gateway: 64 MiB in flight keep a dozen chunks going at once, far more than the threads can hash
 * meanwhile; below 16 KiB a second a chunk would take longer than a token's route waits for it.
 */
export const intakeDefaults: IntakeConfig = {
  blocksMax: 64,
  threadsMax: Math.max(1, Math.min(4, availableParallelism() - 1)),
  pace: { graceMs: 20_000, bytesPerSecondMin: 16 * 1024 },
};

/** 1 MiB: smaller blocks lose time in messages to the threads, larger ones win nothing. */
const blockBytes = 1024 * 1024;

/** Opens the shared part of receiving; disposing ends its threads. */
export function openIntake({ blocksMax, threadsMax, pace }: IntakeConfig): Intake {
  const hashes = openHashPool({ threadsMax });
  return {
    blocks: openBlockPool({ blockBytes, blocksMax }),
    hashes,
    pace,
    [Symbol.asyncDispose]: () => hashes[Symbol.asyncDispose](),
  };
}
