import type { Problem } from '@vtb/protocol/errors.ts';
import { findTrack } from '@vtb/protocol/season/definition.ts';
import { inspectSystem } from '@vtb/protocol/system/inspect.ts';
import { manifestDigest } from '@vtb/protocol/system/manifest.ts';
import { type LoadedSeason, loadSeasons } from '@vtb/seasons/load.ts';
import { trackRules } from '@vtb/seasons/trackRules.ts';
import type { Command } from 'commander';
import { byteText } from '../byteText.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { type ReadSystem, readSystem } from '../system/readSystem.ts';
import { readSystemLog } from '../system/systemLog.ts';

/** `check`: what the gateway would say, and what would be sent, without sending anything. */
export function checkCommand(program: Command, context: Context): void {
  program
    .command('check <dir>')
    .description('inspect a system with the very code the server uses; sends nothing')
    .option('--season <id>', 'the season whose track it is for (default: the one that has the track)')
    .action(async (dir: string, options: { season?: string }) => {
      const system = await readOrFail(dir, context);
      const { loaded, track } = await findSeasonTrack(system.manifest.track, options.season, context);
      const inspected = await inspectSystem(
        { manifest: system.manifest, rules: trackRules(loaded, track) },
        { readFileAt: system.readFileAt },
      );
      const problems = [...inspected.problems, ...(await readSystemLog(dir, system)).problems];
      if (problems.length > 0) throw refused(dir, problems);
      const { files } = system.manifest;
      const document = {
        system: manifestDigest(system.manifest),
        season: loaded.season.id,
        track: track.id,
        files: files.length,
        bytes: system.bytes,
        chunks: system.places.size,
        preview: track.base.kind === 'preview',
        problems,
      };
      const caveat = document.preview
        ? '\nThe track is a preview: there is no base to compare with, and it takes no finals.'
        : '';
      context.console.result(
        document,
        `Nothing is wrong with ${dir} for ${track.title} (${loaded.season.title}).\nsystem ${document.system}\n${files.length} files, ${byteText(system.bytes)} in ${document.chunks} chunks${caveat}`,
      );
    });
}

/**
 * The system in a folder, with progress while it is hashed.
 *
 * throws  Failure('refused') with every problem of the folder.
 */
export async function readOrFail(dir: string, context: Context): Promise<ReadSystem> {
  const onHashed = (done: number, total: number) =>
    context.console.bar(`hashing ${byteText(done)} of ${byteText(total)}`);
  const reading = await readSystem(dir, { onHashed, signal: context.signal });
  if (!reading.ok) throw refused(dir, reading.problems);
  return reading.system;
}

/** A folder that is refused with all that is wrong with it. */
export function refused(dir: string, problems: readonly Problem[]): Failure {
  return new Failure(
    'refused',
    'system.refused',
    `${dir}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`,
    problems,
  );
}

async function findSeasonTrack(trackId: string, seasonId: string | undefined, context: Context) {
  const known = (context.config.environment.VTB_SEASONS || 'vibetraining-bench,pocket').split(',');
  const ids = seasonId === undefined ? known : [seasonId];
  const seasons = await loadSeasons(context.config.seasonsDir, ids);
  const matches = seasons.flatMap((loaded: LoadedSeason) => {
    const track = findTrack(loaded.season, trackId);
    return track === undefined ? [] : [{ loaded, track }];
  });
  const [only, ...more] = matches;
  if (only !== undefined && more.length === 0) return only;
  const tracks = seasons
    .map(({ season }) => `${season.id}: ${season.tracks.map(({ id }) => id).join(', ')}`)
    .join('; ');
  throw new Failure(
    'usage',
    'track.unknown',
    more.length > 0
      ? `several seasons have a track ${trackId}: say which with --season`
      : `no track ${trackId}; there are ${tracks}`,
  );
}
