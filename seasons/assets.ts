import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256Hex } from '@vtb/protocol/digest.ts';
import type { SeasonProblem } from '@vtb/protocol/season/checkSeason.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import type { Asset } from '@vtb/protocol/season/fields.ts';
import { type PromptTask, promptSplitDigest } from '@vtb/protocol/season/promptSplit.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { readPromptTasks } from './promptTasks.ts';
import type { FileProblem } from './seasonError.ts';

/** A file of a season, with the bytes that its digest names. */
export interface SeasonAsset {
  /** Where it lies on this machine. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
}

/** Everything read, and everything wrong: in the TOML (by path) or in a file it names (by line). */
export interface ReadAssets {
  readonly assets: ReadonlyMap<string, SeasonAsset>;
  readonly promptSplits: ReadonlyMap<Sha256, readonly PromptTask[]>;
  readonly problems: readonly (SeasonProblem | FileProblem)[];
}

/** Base facts and public splits are a few MiB; weights are never a season's files. */
const assetBytesMax = 64 << 20;

type Read = { readonly asset: SeasonAsset } | { readonly problem: string };

/** Reads every file a season names and compares its digest with the one the TOML states. */
export async function readAssets(season: Season, dir: string): Promise<ReadAssets> {
  const assets = new Map<string, SeasonAsset>();
  const promptSplits = new Map<Sha256, readonly PromptTask[]>();
  const problems: (SeasonProblem | FileProblem)[] = [];

  for (const { path, asset } of pinnedAssets(season)) {
    const read = await readAsset(dir, asset.path);
    if ('problem' in read) {
      problems.push({ path: [...path, 'path'], message: read.problem });
    } else if (read.asset.sha256 !== asset.sha256) {
      const message = `is ${asset.sha256}, but ${asset.path} has ${read.asset.sha256}; write that here`;
      problems.push({ path: [...path, 'sha256'], message });
    } else {
      assets.set(asset.path, read.asset);
    }
  }

  for (const { path, split } of publicSplits(season)) {
    const read = await readAsset(dir, split.path);
    if ('problem' in read) {
      problems.push({ path: [...path, 'path'], message: read.problem });
      continue;
    }
    assets.set(split.path, read.asset);
    const tasks = readPromptTasks(read.asset.file, read.asset.bytes);
    problems.push(...tasks.problems);
    if (tasks.problems.length > 0) continue;
    const digest = promptSplitDigest(tasks.tasks);
    if (digest !== split.digest) {
      const message = `is ${split.digest}, but the tasks of ${split.path} have ${digest}; write that here`;
      problems.push({ path: [...path, 'digest'], message });
    }
    if (tasks.tasks.length !== split.size) {
      const message = `is ${split.size}, but ${split.path} has ${tasks.tasks.length} tasks; write that here`;
      problems.push({ path: [...path, 'size'], message });
    }
    promptSplits.set(digest, tasks.tasks);
  }
  return { assets, promptSplits, problems };
}

async function readAsset(dir: string, path: string): Promise<Read> {
  const file = join(dir, path);
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) return { problem: `${path} is not a file in the season's folder; add it there` };
  if (found.size > assetBytesMax) {
    return { problem: `${path} has ${found.size} bytes; a season's file has at most ${assetBytesMax}` };
  }
  const bytes = await readFile(file);
  return { asset: { file, bytes, sha256: sha256Hex(bytes) } };
}

interface PinnedAsset {
  readonly path: (string | number)[];
  readonly asset: Asset;
}

function pinnedAssets(season: Season): PinnedAsset[] {
  return [
    { path: ['terms'], asset: season.terms },
    ...season.tracks.flatMap((track, index) => trackAssets(track, ['tracks', index])),
  ];
}

function trackAssets(track: Track, at: readonly (string | number)[]): PinnedAsset[] {
  const assets: PinnedAsset[] = [];
  const { base, splits } = track;
  if (base.kind !== 'preview') {
    assets.push({ path: [...at, 'base', 'facts'], asset: base.facts });
    assets.push({ path: [...at, 'base', 'chatTemplate'], asset: base.chatTemplate });
  }
  if (base.kind === 'gguf') assets.push({ path: [...at, 'base', 'header'], asset: base.header });
  for (const name of ['validation', 'test'] as const) {
    const split = splits[name];
    if (split.kind === 'generated') {
      assets.push({ path: [...at, 'splits', name, 'exclude'], asset: split.exclude });
    }
  }
  return assets;
}

function publicSplits(season: Season) {
  return season.tracks.flatMap((track, index) =>
    (['validation', 'test'] as const).flatMap((name) => {
      const split = track.splits[name];
      if (track.driver !== 'prompt' || split.kind !== 'fixed' || split.path === undefined) return [];
      const { path, digest, size } = split;
      return [{ path: ['tracks', index, 'splits', name], split: { path, digest, size } }];
    }),
  );
}
