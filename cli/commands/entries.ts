import {
  entryDetailSchema,
  entryListSchema,
  entrySchema,
  type Run,
  runSchema,
} from '@vtb/protocol/wire/entries.ts';
import { submissionListSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Client } from '../client.ts';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { chosenTeam } from './chosen.ts';
import { runLogCommand } from './runLog.ts';

interface EntryOptions {
  readonly agent: string;
  readonly harness?: string;
  readonly season: string;
  readonly team?: string;
}

/** `entry …` and `run …`. */
export function entryCommands(program: Command, context: Context): void {
  const entry = program.command('entry').description('rows of the board');
  entry
    .command('create')
    .description('a research agent (and its harness) in a season')
    .requiredOption('--agent <name>', 'the research agent')
    .option('--harness <name>', 'what drove it')
    .requiredOption('--season <id>', 'the season')
    .option('--team <id>', 'the team (default: your only one)')
    .action(async (options: EntryOptions) => {
      const client = await context.member();
      const body = {
        team: await chosenTeam(options.team, client),
        season: options.season,
        agent: options.agent,
        agentHarness: options.harness ?? null,
      };
      const made = await client.post('/entries', body, entrySchema);
      context.console.result(
        made,
        `Entry ${made.agent}${made.agentHarness === null ? '' : ` + ${made.agentHarness}`}: ${made.id}\nNext: vtb run start --entry ${made.id} --track TRACK (this starts the clock)`,
      );
    });
  entry
    .command('list')
    .description('your entries and their runs')
    .action(async () => {
      const client = await context.member();
      const { entries } = await client.get('/entries', entryListSchema);
      const details = await Promise.all(
        entries.map(({ id }) => client.get(`/entries/${id}`, entryDetailSchema)),
      );
      const rows = details.flatMap(({ id, agent, season, runs }) =>
        runs.length === 0
          ? [[id, agent, season, '–', '–', '–']]
          : runs.map((run) => [id, agent, season, run.track, run.id, run.endReason ?? 'open']),
      );
      context.console.result(
        { entries: details },
        rows.length === 0
          ? 'No entry yet: vtb entry create'
          : textTable(['entry', 'agent', 'season', 'track', 'run', 'state'], rows),
      );
    });

  const run = program.command('run').description("a team's clocked research on one track");
  run
    .command('start')
    .description('open the budget: the clock starts now')
    .requiredOption('--entry <id>', 'the entry')
    .requiredOption('--track <id>', 'the track')
    .action(async (options: { entry: string; track: string }) => {
      const client = await context.member();
      const made = await client.post(`/entries/${options.entry}/runs`, { track: options.track }, runSchema);
      context.console.result(
        made,
        `Run ${made.id} on ${made.track}: ${made.budgetHours} h, until ${made.deadline}`,
      );
    });
  run
    .command('status [id]')
    .description('budget, tries left and submissions of a run')
    .action(async (id: string | undefined) => {
      const client = await context.member();
      const found = await client.get(`/runs/${id ?? (await chosenRun(undefined, client)).id}`, runSchema);
      const { submissions } = await client.get(`/runs/${found.id}/submissions`, submissionListSchema);
      const { finals, validations, failedTries } = found.quota;
      const quota = `finals left ${finals.left} of ${finals.limit}, validation tries left ${validations.left} of ${validations.limit}, failed tries ${failedTries.spent} of ${failedTries.limit}`;
      const list =
        submissions.length === 0
          ? 'no submission yet'
          : textTable(
              ['submission', 'purpose', 'state', 'committed'],
              submissions.map((one) => [one.id, one.purpose, one.state, one.committedAt]),
            );
      context.console.result(
        { run: found, submissions },
        `${found.id} on ${found.track}: ${found.endedAt === null ? `open until ${found.deadline}` : `ended ${found.endedAt} (${found.endReason})`}\n${quota}\n${list}`,
      );
    });
  runLogCommand(run, context);
  run
    .command('finish <id>')
    .description('end a run without a final')
    .action(async (id: string) => {
      const ended = await (await context.member()).post(`/runs/${id}/finish`, {}, runSchema);
      context.console.result(ended, `Run ${ended.id} ended ${ended.endedAt}.`);
    });
}

/**
 * The run that a command is about: the one given, else the caller's only open one (on a track, if said).
 *
 * throws  Failure('usage') listing the open runs when the choice is not clear.
 */
export async function chosenRun(
  given: string | undefined,
  client: Client,
  track?: string,
): Promise<Pick<Run, 'id' | 'track' | 'season'>> {
  if (given !== undefined)
    return client.get(
      `/runs/${given}`,
      z.object({ ...runSchema.shape }).pick({ id: true, track: true, season: true }),
    );
  const { entries } = await client.get('/entries', entryListSchema);
  const details = await Promise.all(entries.map(({ id }) => client.get(`/entries/${id}`, entryDetailSchema)));
  const open = details.flatMap(({ agent, runs }) =>
    runs
      .filter((run) => run.endedAt === null && (track === undefined || run.track === track))
      .map((run) => ({ agent, run })),
  );
  const [only, ...more] = open;
  if (only !== undefined && more.length === 0) return only.run;
  const known = open.map(({ agent, run }) => `${run.id} (${agent}, ${run.track})`).join(', ');
  throw new Failure(
    'usage',
    'run.choose',
    open.length === 0
      ? `no open run${track === undefined ? '' : ` on ${track}`}: vtb run start --entry ENTRY --track TRACK`
      : `say which run with --run: ${known}`,
  );
}
