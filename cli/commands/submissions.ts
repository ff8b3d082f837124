import {
  feedbackSchema,
  submissionEventSchema,
  submissionListSchema,
  submissionSchema,
} from '@vtb/protocol/wire/submissions.ts';
import type { Command } from 'commander';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { followSubmission, submissionEvents } from '../follow.ts';
import { showSubmission } from '../showSubmission.ts';
import { timeoutOf } from '../timeoutOf.ts';
import { chosenRun } from './entries.ts';
import { submitCommand } from './submit.ts';

/** `submit`, `status`, `watch`, `feedback`, `withdraw`. */
export function submissionCommands(program: Command, context: Context): void {
  submitCommand(program, context);
  program
    .command('status [id]')
    .description('where a submission is; without an id, those of your open run')
    .action(async (id: string | undefined) => {
      const client = await context.member();
      if (id !== undefined)
        return showSubmission(await client.get(`/submissions/${id}`, submissionSchema), context);
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
        showSubmission(await followSubmission(id, timeoutOf(options.timeout), context, client), context);
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
      showSubmission(
        await (await context.member()).post(
          `/submissions/${id}/withdraw`,
          { reason: options.reason },
          submissionSchema,
        ),
        context,
      ),
    );
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

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat.length > 60 ? `${flat.slice(0, 59)}…` : flat;
}
