import { purposeSchema } from '@vtb/protocol/messages/common.ts';
import { manifestDigest } from '@vtb/protocol/system/manifest.ts';
import { committedSchema, type Submission, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Command } from 'commander';
import { byteText } from '../byteText.ts';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { followSubmission } from '../follow.ts';
import { patienceMs, persist } from '../persist.ts';
import { type NumberedLine, sendLog } from '../sendLog.ts';
import { showSubmission } from '../showSubmission.ts';
import type { ReadSystem } from '../system/readSystem.ts';
import { readSystemLog } from '../system/systemLog.ts';
import { uploadChunks } from '../system/uploadChunks.ts';
import { timeoutOf } from '../timeoutOf.ts';
import { unfinishedSubmission } from '../unfinishedSubmission.ts';
import { readOrFail, refused } from './check.ts';
import { chosenRun } from './entries.ts';

interface SubmitOptions {
  readonly run?: string;
  readonly purpose: string;
  readonly again?: boolean;
  readonly wait?: boolean;
  readonly timeout?: string;
}

/** `submit`. */
export function submitCommand(program: Command, context: Context): void {
  program
    .command('submit <dir>')
    .description(
      'commit to a system (this instant counts), send its bytes, seal it; after an interruption the same command goes on with the same submission',
    )
    .option('--run <id>', "the run (default: your only open one on the system's track)")
    .option(
      '--purpose <purpose>',
      'validation (full feedback) or final (a score, and the end of the run)',
      'validation',
    )
    .option('--again', 'a new submission although this very system is on its way to a result')
    .option('--wait', 'follow it to its result')
    .option('--timeout <seconds>', 'with --wait: give up waiting after this long (exit code 4)')
    .action((dir: string, options: SubmitOptions) => submit(dir, options, context));
}

async function submit(dir: string, options: SubmitOptions, context: Context): Promise<void> {
  const purpose = purposeSchema.options.find((known) => known === options.purpose);
  if (purpose === undefined)
    throw new Failure('usage', 'submit.purpose', `--purpose is validation or final, not ${options.purpose}`);
  const timeoutMs = timeoutOf(options.timeout);
  const client = await context.member();
  const system = await readOrFail(dir, context);
  const log = await readSystemLog(dir, system);
  if (log.problems.length > 0) throw refused(dir, log.problems);

  const { track } = system.manifest;
  const wanted = { run: options.run ?? null, track, purpose, system: manifestDigest(system.manifest) };
  const unfinished = options.again === true ? null : await unfinishedSubmission(wanted, client);
  const committed = unfinished ?? (await commit({ system, purpose, run: options.run }, client, context));
  const { id } = committed;
  try {
    const current = await client.get(`/submissions/${id}`, submissionSchema);
    if (unfinished !== null)
      context.console.note(
        `${id} of ${current.committedAt} is this very system: going on with it (--again commits another)`,
      );
    if (isUploading(current)) await sendAndSeal(current, system, client, context);
    if (log.lines.length > 0) await addLog(committed.run, log.lines, client, context);
    showSubmission(
      options.wait
        ? await followSubmission(id, timeoutMs, context, client)
        : await client.get(`/submissions/${id}`, submissionSchema),
      context,
    );
  } catch (cause) {
    if (!context.signal.aborted) throw cause;
    throw new Failure(
      'refused',
      'interrupted',
      `interrupted; ${id} is committed: the same command goes on with it, and vtb watch ${id} follows it`,
    );
  }
}

interface Commitment {
  readonly system: ReadSystem;
  readonly purpose: 'validation' | 'final';
  readonly run: string | undefined;
}

async function commit({ system, purpose, run: given }: Commitment, client: Client, context: Context) {
  const run = await chosenRun(given, client, system.manifest.track);
  const committed = await client.post(
    `/runs/${run.id}/submissions`,
    { purpose, manifest: system.manifest },
    committedSchema,
  );
  context.console.note(
    `committed ${committed.id} at ${committed.committedAt}: this instant counts; ${committed.missingCount} of ${system.places.size} chunks to send by ${committed.uploadUntil}`,
  );
  return { id: committed.id, run: run.id };
}

const isUploading = ({ state }: Submission) => state === 'committed' || state === 'uploading';

async function sendAndSeal(
  current: Submission,
  system: ReadSystem,
  client: Client,
  context: Context,
): Promise<void> {
  const { signal } = context;
  const bytesMissing = current.bytes - current.bytesArrived;
  const startedAt = performance.now();
  try {
    await uploadChunks(
      { submission: current.id, system, bytesMissing },
      { client, console: context.console, signal },
    );
    await persist(
      () => client.post(`/submissions/${current.id}/seal`, {}, submissionSchema),
      { patienceMs, signal },
      context,
    );
  } catch (cause) {
    // Another client of the same submission may have sealed it meanwhile.
    if (!(cause instanceof Failure) || cause.code !== 'state.conflict') throw cause;
    if (isUploading(await client.get(`/submissions/${current.id}`, submissionSchema))) throw cause;
  }
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  const there = byteText(system.bytes - bytesMissing);
  context.console.note(
    `all bytes are there and sealed: ${byteText(bytesMissing)} sent at ${byteText(bytesMissing / seconds)}/s, ${there} needed no sending`,
  );
}

/** The log in the system's folder joins the run's; that it can't now must not look like a failed submission. */
async function addLog(
  run: string,
  lines: readonly NumberedLine[],
  client: Client,
  context: Context,
): Promise<void> {
  try {
    const { added, known } = await sendLog({ run, lines }, { client, console: context.console });
    context.console.note(`research log: ${added} new line(s), ${known} known before`);
  } catch (cause) {
    if (!(cause instanceof Failure) || context.signal.aborted) throw cause;
    const places = cause.problems.slice(0, 5).map(({ at, message }) => `\n  ${at}: ${message}`);
    context.console.note(
      `the research log was not taken: ${cause.message}${places.join('')}\nmend research.jsonl and run vtb run log`,
    );
  }
}
