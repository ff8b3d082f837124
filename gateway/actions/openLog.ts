import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { appendLeaf, lockLog, logSize } from '@vtb/db/public/log.ts';
import { currentSplits, type SplitRow } from '@vtb/db/public/splits.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { publicHalf } from '@vtb/protocol/messages/sealing.ts';
import { isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import type { Deps } from '../deps.ts';

/**
 * Writes leaf 0, the season record, once the enclave has named the splits of every active track: the season's digest,
 * both sides' keys, and each split with its commitment.
 *
 * returns  whether it was written now; false the second time, while a split is missing, and for a season that is only
 *          a preview, which has nothing to log.
 */
export async function openLog(
  input: { readonly season: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<boolean> {
  const { season, at } = input;
  const loaded = deps.seasons.get(season);
  if (loaded === undefined) throw new Error(`this gateway serves no season ${season}`);
  await lockLog(season, tx);
  if ((await logSize(season, tx)) > 0) return false;
  const held = await currentSplits(season, tx);
  const needed = loaded.season.tracks
    .filter((track) => !isPreview(loaded.season, track))
    .flatMap((track) => [
      ...(track.splits.validation.kind === 'preview'
        ? []
        : [{ track: track.id, purpose: 'validation' as const }]),
      { track: track.id, purpose: 'final' as const },
    ]);
  const pins = needed.map((need) => pinOf(held, need));
  if (needed.length === 0 || pins.includes(undefined)) return false;
  const record = leafSchema.parse({
    kind: 'season',
    season,
    definition: loaded.digest,
    gatewayKeys: [publicHalf(deps.keys.signing)],
    graderKeys: Object.entries(deps.keys.grader).map(([kid, jwk]) => publicHalf({ kid, jwk })),
    splits: pins.map(
      (pin) =>
        pin && { track: pin.track, purpose: pin.purpose, split: pin.split, commitment: pin.commitment },
    ),
    at: at.toISOString(),
  });
  await appendLeaf({ leaf: record, at }, tx);
  const detail = { leaf: 0, definition: loaded.digest };
  await writeAudit({ at, actor: 'gateway', act: 'log.opened', subject: season, reason: null, detail }, tx);
  return true;
}

function pinOf(
  held: readonly SplitRow[],
  need: { readonly track: string; readonly purpose: SplitRow['purpose'] },
): SplitRow | undefined {
  return held.find(({ track, purpose }) => track === need.track && purpose === need.purpose);
}
