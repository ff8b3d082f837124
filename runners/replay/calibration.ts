import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.ts';
import { errorFields, type Log } from '../log.ts';
import { writeCalibrationWeights } from '../weights/calibrationWeights.ts';
import type { FetchedSystem } from '../weights/fetchSystem.ts';
import { type ReplayBox, startEngine } from './startEngine.ts';
import type { TrackModel } from './trackModel.ts';

/** Tells whose fault a failure of the engine is, by the same engine with the calibration system. */
export type Calibration = {
  /** 'system' when the calibration system loads and serves here and now; else 'ours'. Never rejects but by abort. */
  blame(): Promise<'system' | 'ours'>;
};

/** A verdict holds this long: trials that fail together are judged together, a host that goes bad later is seen. */
const verdictMs = 30_000;

/** The calibration of one replay: same engine, settings, box and file size as the system's. */
export function newCalibration(
  input: { readonly engine: Engine; readonly model: TrackModel; readonly system: FetchedSystem },
  deps: {
    readonly box: ReplayBox;
    readonly workDir: string;
    readonly log: Log;
    readonly signal: AbortSignal;
  },
): Calibration {
  let last: { readonly atMs: number; readonly verdict: Promise<'system' | 'ours'> } | null = null;
  let runs = 0;
  const run = async (): Promise<'system' | 'ours'> => {
    runs += 1;
    const weightsPath = join(deps.workDir, `calibration${runs}.gguf`);
    try {
      await writeCalibrationWeights(input.system, weightsPath);
      const running = await startEngine(
        {
          engine: input.engine,
          model: input.model,
          weightsPath,
          weightsDigest: 'calibration',
          slot: deps.box.slots.calibration,
          name: `c${runs}`,
        },
        deps,
      );
      await running.stop();
      deps.log('info', 'calibration.served');
      return 'system';
    } catch (error) {
      deps.signal.throwIfAborted();
      deps.log('warn', 'calibration.failed', errorFields(error));
      return 'ours';
    } finally {
      await rm(weightsPath, { force: true });
    }
  };
  return {
    blame() {
      if (last === null || performance.now() - last.atMs > verdictMs)
        last = { atMs: performance.now(), verdict: run() };
      return last.verdict;
    },
  };
}
