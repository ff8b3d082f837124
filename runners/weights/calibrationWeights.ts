import { open } from 'node:fs/promises';
import type { FetchedSystem } from './fetchSystem.ts';

/**
 * Writes the calibration system: the base's header, tokenizer and shapes, and zeros as tensors.
 *
 * It is as large as what a team's file becomes and needs the same memory, but nothing of any team is in it, so what
 * fails with it too is the engine's or the host's doing. The file is sparse: it takes the header's bytes on the disk.
 */
export async function writeCalibrationWeights(system: FetchedSystem, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o444);
  try {
    await file.truncate(system.base.fileSize);
    await file.write(system.baseHeader, 0, system.baseHeader.length, 0);
  } finally {
    await file.close();
  }
}
