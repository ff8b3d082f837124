/**
 * Theory of operation. What is in the store is compared with what is needed, not the other way round, so that bytes no
 * row knows of (a gateway killed between storing and writing down) go as well. One of 256 parts of the store is looked
 * at in a round.
 */
import { unneededChunks } from '@vtb/db/public/garbage.ts';
import { eraseUnneeded } from '../chunks/eraseUnneeded.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** Younger bytes may belong to an upload whose possession is being written down. */
const ageMsMin = 3_600_000;

/** Digests asked about in one query. */
const askedMax = 1_000;

/** One round over the part of the store that the minute names. */
export async function collectGarbage(deps: Deps): Promise<number> {
  const part = Math.floor(deps.now().getTime() / 60_000) % 256;
  return collectPart(part.toString(16).padStart(2, '0'), deps);
}

/** Erases what nothing needs among the chunks whose digests start with these two digits. returns how many. */
export async function collectPart(prefix: string, deps: Deps): Promise<number> {
  const oldest = deps.now().getTime() - ageMsMin;
  let erased = 0;
  const erase = async (asked: readonly string[]) => {
    const unneeded = await unneededChunks(asked, deps.db);
    erased += await eachItem(unneeded, (sha256) => eraseUnneeded(sha256, deps), deps);
  };
  let asked: string[] = [];
  for await (const { sha256, storedAt } of deps.chunks.list(prefix)) {
    if (storedAt.getTime() > oldest) continue;
    asked.push(sha256);
    if (asked.length < askedMax) continue;
    await erase(asked);
    asked = [];
  }
  await erase(asked);
  return erased;
}
