import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a small secret file whole or not at all, readable by its owner alone: synced before the rename and its folder
 * after, so that also a power cut leaves the old file or the new one, never an empty one.
 */
export async function writePrivately(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const next = `${path}.new`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
  const held = await open(folder, 'r');
  try {
    await held.sync();
  } finally {
    await held.close();
  }
}
