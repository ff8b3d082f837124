import type { Problem } from '@vtb/protocol/errors.ts';
import { inspectSystem } from '@vtb/protocol/system/inspect.ts';
import { manifestDigest } from '@vtb/protocol/system/manifest.ts';
import type { PublicTrackRules } from '@vtb/protocol/wire/trackRules.ts';
import type { Command } from 'commander';
import { byteText } from '../byteText.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../progress.ts';
import { readDescription } from '../system/description.ts';
import { type ReadSystem, readSystem } from '../system/readSystem.ts';
import { readSystemLog } from '../system/systemLog.ts';
import { walkSystem } from '../system/walk.ts';
import { findTrackRules, inspectionRules } from '../trackRules.ts';

/** `check`: what the gateway would say, and what would be sent, without sending anything. */
export function checkCommand(program: Command, context: Context): void {
  program
    .command('check <dir>')
    .description('inspect a system with the very code the server uses; sends nothing')
    .option('--season <id>', 'the season whose track it is for (default: the one that has the track)')
    .action((dir: string, options: { season?: string }) => check(dir, options.season ?? null, context));
}

async function check(dir: string, season: string | null, context: Context): Promise<void> {
  // A track that isn't there is told before gigabytes are hashed.
  const { files: found } = await walkSystem(dir);
  const file = found.find(({ role }) => role === 'description') ?? null;
  const { description } = await readDescription(dir, file);
  const wanted = { track: description?.track ?? null, season };
  const known = description === null ? null : await findTrackRules(wanted, context);
  const system = await readOrFail(dir, context);
  const rules = known ?? (await findTrackRules({ track: system.manifest.track, season }, context));
  const problems = [
    ...(await inspect(system, rules, context)),
    ...(await readSystemLog(dir, system)).problems,
  ];
  if (problems.length > 0) throw refused(dir, problems);
  const { files } = system.manifest;
  const notes = notesOn(system, rules);
  const bytesToSend = [...system.places.values()].reduce((sum, { size }) => sum + size, 0);
  const document = {
    system: manifestDigest(system.manifest),
    season: rules.season,
    track: rules.track,
    files: files.length,
    bytes: system.bytes,
    chunks: system.places.size,
    bytesToSend,
    preview: rules.base === null,
    notes,
    problems,
  };
  context.console.result(
    document,
    [
      `Nothing is wrong with ${dir} for ${rules.trackTitle} (${rules.seasonTitle}).`,
      `system ${document.system}`,
      `${files.length} files, ${byteText(system.bytes)}; at most ${byteText(bytesToSend)} to send, in ${document.chunks} chunks`,
      ...notes,
    ].join('\n'),
  );
}

async function inspect(system: ReadSystem, rules: PublicTrackRules, context: Context) {
  const progress = startProgress(
    { verb: 'inspecting', total: system.bytes },
    { console: context.console, nowMs: () => performance.now() },
  );
  let read = 0;
  const inspected = await inspectSystem(
    { manifest: system.manifest, rules: inspectionRules(rules) },
    {
      readFileAt: async (path, offset, length) => {
        context.signal.throwIfAborted();
        read += length;
        progress.to(Math.min(read, system.bytes));
        return system.readFileAt(path, offset, length);
      },
    },
  );
  return inspected.problems;
}

/** What is no fault of the files and yet worth knowing before a try is used. */
function notesOn({ description }: ReadSystem, rules: PublicTrackRules): string[] {
  const notes: string[] = [];
  if (rules.base === null)
    notes.push('The track is a preview: there is no base to compare with, and it takes no finals.');
  if (description.terms !== rules.terms.sha256)
    notes.push(
      `system.toml accepts the terms ${description.terms}; this season's are ${rules.terms.sha256}: read them and write that.`,
    );
  return notes;
}

/**
 * The system in a folder, with progress while it is hashed.
 *
 * throws  Failure('refused') with every problem of the folder.
 */
export async function readOrFail(dir: string, context: Context): Promise<ReadSystem> {
  const onStart = (total: number) =>
    startProgress({ verb: 'hashing', total }, { console: context.console, nowMs: () => performance.now() })
      .to;
  const reading = await readSystem(dir, { onStart, signal: context.signal });
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
