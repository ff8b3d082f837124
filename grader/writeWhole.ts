import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file that is either whole or not there: beside its place, to the disk, then renamed. */
export async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** Makes renames inside a folder last through a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
