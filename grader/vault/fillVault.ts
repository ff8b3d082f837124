import { activeSplit } from '@vtb/db/vault/splits.ts';
import { isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import { type Split, splitName } from '@vtb/protocol/season/split.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { readExcludedTexts } from '@vtb/seasons/excludedTexts.ts';
import { generateSplit } from '@vtb/seasons/generators.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import type { RandomUint32 } from '@vtb/seasons/random.ts';
import type { Log } from '../log.ts';
import { removeOrphans, type SplitVault, sealSplit } from './splitVault.ts';

/** What filling the vault needs. */
export interface FillDeps {
  readonly vault: SplitVault;
  readonly random: RandomUint32;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Brings into the vault what the seasons' tracks need and it lacks: fixed splits from the season's file, generated ones
 * made here from `random`, straight into sealed files. A generated split that is held is kept for ever; a fixed one
 * whose digest changed in the season is replaced as the active one. The final split is hidden, the validation split isn't.
 *
 * throws  Error naming the split when a track that takes finals has one that isn't here.
 */
export async function fillVault(seasons: readonly LoadedSeason[], deps: FillDeps): Promise<void> {
  await removeOrphans(deps.vault);
  for (const loaded of seasons) {
    for (const track of loaded.season.tracks) {
      if (isPreview(loaded.season, track) || track.driver !== 'prompt') continue;
      await fillPlace(loaded, track, 'validation', deps);
      await fillPlace(loaded, track, 'final', deps);
    }
  }
}

async function fillPlace(
  loaded: LoadedSeason,
  track: Track,
  purpose: 'validation' | 'final',
  deps: FillDeps,
): Promise<void> {
  const split = purpose === 'final' ? track.splits.test : track.splits.validation;
  const source = splitName(split);
  const place = { season: loaded.season.id, track: track.id, purpose };
  const held = await activeSplit(place, deps.vault.db);
  if (held?.source === source) return;
  const tasks = tasksOf(split, loaded, deps.random);
  const hidden = purpose === 'final';
  const row = await sealSplit(
    { ...place, hidden, secrecy: hidden ? track.secrecy : 'visible', source, tasks, now: deps.now() },
    deps.vault,
  );
  deps.log('info', 'vault.splitHeld', { ...place, split: row.digest, tasks: row.tasks });
}

function tasksOf(split: Split, loaded: LoadedSeason, random: RandomUint32): readonly PromptTask[] {
  if (split.kind === 'generated') {
    const asset = loaded.assets.get(split.exclude.path);
    if (asset === undefined)
      throw new Error(`${split.exclude.path} of season ${loaded.season.id} was not loaded`);
    return generateSplit(
      split.generator,
      { size: split.size, exclude: readExcludedTexts(asset.bytes) },
      random,
    );
  }
  const tasks = split.kind === 'fixed' ? loaded.promptSplits.get(split.digest) : undefined;
  if (tasks === undefined) {
    throw new Error(
      `split ${splitName(split)} of season ${loaded.season.id} has no tasks here; import it into the vault first`,
    );
  }
  return tasks;
}
