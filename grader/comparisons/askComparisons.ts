import type { Vault } from '@vtb/db/vault/connect.ts';
import { replaceRankedLists } from '@vtb/db/vault/rankedLists.ts';
import type { Checkpoint } from '@vtb/protocol/messages/checkpoint.ts';

/** How the comparison in Avg. is kept where others have their track and split. */
export const averaged = '';

/** Notes what a cosigned checkpoint ranks, to be compared after it; a single row has nothing to be compared with. */
export async function askComparisons(checkpoint: Checkpoint, size: number, tx: Vault): Promise<void> {
  const tracks = checkpoint.ranked.map(({ track, split, gradings }) => ({
    track,
    split,
    size,
    rows: gradings.map((grading) => [grading]),
    tracks: [{ track, split }],
  }));
  const avg =
    checkpoint.averaged === undefined
      ? []
      : [{ track: averaged, split: averaged, size, ...checkpoint.averaged }];
  await replaceRankedLists(
    checkpoint.season,
    [...tracks, ...avg].filter(({ rows }) => rows.length > 1),
    tx,
  );
}
