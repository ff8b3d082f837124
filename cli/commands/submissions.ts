import {
  committedSchema,
  feedbackSchema,
  missingSchema,
  type Submission,
  submissionEventSchema,
  submissionListSchema,
  submissionSchema,
} from '@vtb/protocol/wire/submissions.ts';
import type { Command } from 'commander';
import { byteText } from '../byteText.ts';
import type { Client } from '../client.ts';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { followSubmission, stateLine, submissionEvents } from '../follow.ts';
import { resultText } from '../resultText.ts';
import { type NumberedLine, sendLog } from '../sendLog.ts';
import { readSystemLog } from '../system/systemLog.ts';
import { uploadChunks } from '../system/uploadChunks.ts';
import { readOrFail, refused } from './check.ts';
import { chosenRun } from './entries.ts';

interface SubmitOptions {
  readonly run?: string;
  readonly purpose: string;
  readonly wait?: boolean;
  readonly timeout?: string;
}

/** `submit`, `status`, `watch`, `feedback`, `withdraw`. */
export function submissionCommands(program: Command, context: Context): void {
  program
    .command('submit <dir>')
    .description('commit to a system (this stops the clock), send its bytes, seal it; run it again to resume')
    .option('--run <id>', "the run (default: your only open one on the system's track)")
    .option(
      '--purpose <purpose>',
      'validation (full feedback) or final (a score, and the end of the run)',
      'validation',
    )
    .option('--wait', 'follow it to its result')
    .option('--timeout <seconds>', 'with --wait: give up waiting after this long (exit code 4)')
    .action((dir: string, options: SubmitOptions) => submit(dir, options, context));
  program
    .command('status [id]')
    .description('where a submission is; without an id, those of your open run')
    .action(async (id: string | undefined) => {
      const client = await context.member();
      if (id !== undefined) return show(await client.get(`/submissions/${id}`, submissionSchema), context);
      const run = await chosenRun(undefined, client);
      const { submissions } = await client.get(`/runs/${run.id}/submissions`, submissionListSchema);
      context.console.result(
        { run: run.id, submissions },
        submissions.length === 0
          ? 'no submission yet'
          : textTable(
              ['submission', 'purpose', 'state', 'since'],
              submissions.map((one) => [one.id, one.purpose, one.state, one.stateAt]),
            ),
      );
    });
  program
    .command('watch <id>')
    .description('follow a submission until it rests')
    .option('--timeout <seconds>', 'give up after this long (exit code 4)')
    .action(async (id: string, options: { timeout?: string }) => {
      const client = await context.member();
      const following = followEvents(id, context);
      try {
        show(await followSubmission(id, timeoutOf(options.timeout), context, client), context);
      } finally {
        following.abort();
      }
    });
  program
    .command('feedback <id>')
    .description('everything that happened in a validation submission: every trial, reward and transcript')
    .option('--failed', 'only trials without full reward')
    .action(async (id: string, options: { failed?: boolean }) => {
      const feedback = await (await context.member()).get(`/submissions/${id}/feedback`, feedbackSchema);
      const trials = feedback.trials.filter(({ reward }) => !options.failed || reward < 1);
      const rows = trials.map((trial) => [
        trial.task,
        String(trial.trial),
        String(trial.reward),
        trial.outcome,
        trial.answer ?? '–',
        trial.expected,
        oneLine(trial.problem),
      ]);
      const missing =
        feedback.missing.length === 0 ? '' : `\nstill on their way: ${feedback.missing.join(', ')}`;
      context.console.result(
        { ...feedback, trials },
        `${textTable(['task', 'trial', 'reward', 'outcome', 'answer', 'expected', 'problem'], rows)}${missing}`,
      );
    });
  program
    .command('withdraw <id>')
    .description('take a submission back; once it is queued nothing is returned')
    .requiredOption('--reason <text>', 'why; it stays on record')
    .action(async (id: string, options: { reason: string }) =>
      show(
        await (await context.member()).post(
          `/submissions/${id}/withdraw`,
          { reason: options.reason },
          submissionSchema,
        ),
        context,
      ),
    );
}

async function submit(dir: string, options: SubmitOptions, context: Context): Promise<void> {
  if (options.purpose !== 'validation' && options.purpose !== 'final')
    throw new Failure('usage', 'submit.purpose', `--purpose is validation or final, not ${options.purpose}`);
  const timeoutMs = timeoutOf(options.timeout);
  const client = await context.member();
  const system = await readOrFail(dir, context);
  const log = await readSystemLog(dir, system);
  if (log.problems.length > 0) throw refused(dir, log.problems);
  const run = await chosenRun(options.run, client, system.manifest.track);
  const committed = await client.post(
    `/runs/${run.id}/submissions`,
    { purpose: options.purpose, manifest: system.manifest },
    committedSchema,
  );
  context.console.note(
    `committed ${committed.id} at ${committed.committedAt}: the clock has stopped; ${committed.missingCount} of ${system.places.size} chunks to send by ${committed.uploadUntil}`,
  );
  const current = await client.get(`/submissions/${committed.id}`, submissionSchema);
  if (current.state === 'committed' || current.state === 'uploading') {
    const first = await client.get(`/submissions/${committed.id}/missing`, missingSchema);
    const startedAt = performance.now();
    const onSent = (bytes: number, left: number) =>
      context.console.bar(
        `sent ${byteText(bytes)} at ${byteText(bytes / Math.max(0.001, (performance.now() - startedAt) / 1000))}/s, ${left} chunks missing when last asked`,
      );
    await uploadChunks(
      { submission: committed.id, system, first },
      { client, onSent, signal: context.signal },
    );
    await client.post(`/submissions/${committed.id}/seal`, {}, submissionSchema);
    context.console.note('all bytes are there and sealed');
  }
  if (log.lines.length > 0) await addLog(run.id, log.lines, client, context);
  show(
    options.wait
      ? await followSubmission(committed.id, timeoutMs, context, client)
      : await client.get(`/submissions/${committed.id}`, submissionSchema),
    context,
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
    if (!(cause instanceof Failure)) throw cause;
    const places = cause.problems.slice(0, 5).map(({ at, message }) => `\n  ${at}: ${message}`);
    context.console.note(
      `the research log was not taken: ${cause.message}${places.join('')}\nmend research.jsonl and run vtb run log`,
    );
  }
}

/** Prints the submission; one that was refused, held back or lost ends the command with exit code 1. */
function show(submission: Submission, context: Context): void {
  if (submission.state === 'refused' || submission.state === 'lapsed') {
    const problems = submission.problems.map(({ fix, ...problem }) =>
      fix === undefined ? problem : { ...problem, fix },
    );
    throw new Failure('refused', `submission.${submission.state}`, stateLine(submission), problems);
  }
  const results = submission.gradings.map(
    (grading) =>
      `  grading ${grading.number} (${grading.cause}) ${grading.id} ${grading.state}${grading.current ? ', current' : ''}${grading.result === null ? '' : `: ${resultText(grading.result)}`}`,
  );
  context.console.result(submission, [stateLine(submission), ...results].join('\n'));
}

function followEvents(id: string, context: Context): AbortController {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, context.signal]);
  const print = async () => {
    const client = await context.member();
    for await (const { data } of submissionEvents(id, { ...context, signal }, client)) {
      const event = submissionEventSchema.safeParse(JSON.parse(data));
      if (event.success && event.data.progress?.total != null)
        context.console.bar(`${event.data.progress.done ?? 0} of ${event.data.progress.total} trials`);
    }
  };
  print().catch((cause) => {
    // Events only animate: the states come from followSubmission, which reports what is wrong.
    if (!signal.aborted && !(cause instanceof Failure)) throw cause;
  });
  return ended;
}

function timeoutOf(seconds: string | undefined): number | null {
  if (seconds === undefined) return null;
  const value = Number(seconds);
  if (!Number.isFinite(value) || value <= 0)
    throw new Failure('usage', 'timeout', `--timeout is a number of seconds above 0, not ${seconds}`);
  return value * 1000;
}

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat.length > 60 ? `${flat.slice(0, 59)}…` : flat;
}
