import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';

/** More than a season of sessions; somebody named the wrong folder. */
const filesMax = 20_000;

/**
 * The transcripts at a path: the file itself, or every .jsonl file of a folder and the folders in it, where agents that
 * were started by others keep theirs. Sorted by path; links are not followed.
 *
 * throws  Failure('usage') when nothing is there, or too much.
 */
export async function transcriptFiles(path: string, signal: AbortSignal): Promise<string[]> {
  const facts = await lstat(path).catch(() => null);
  if (facts === null) throw new Failure('usage', 'transcript.missing', `${path} isn't there`);
  if (facts.isFile()) return [path];
  if (!facts.isDirectory())
    throw new Failure('usage', 'transcript.missing', `${path} is neither a file nor a folder`);
  const files: string[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const child = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(child);
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) files.push(child);
    }
    if (files.length > filesMax)
      throw new Failure(
        'usage',
        'transcript.many',
        `${path} holds more than ${filesMax} transcripts; name the folder of this research alone`,
      );
  }
  if (files.length === 0) throw new Failure('usage', 'transcript.missing', `no .jsonl file is in ${path}`);
  return files.sort();
}
