import { lstat, readFile } from 'node:fs/promises';
import type { ResearchLine, TranscriptKind } from '@vtb/protocol/researchLog/line.ts';
import { transcriptKinds } from '@vtb/protocol/researchLog/line.ts';
import { type ReadLine, readResearchLog } from '@vtb/protocol/researchLog/readResearchLog.ts';
import { type ResearchTokens, researchTokens } from '@vtb/protocol/researchLog/researchTokens.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import { entryDetailSchema, entryListSchema, type Run, runSchema } from '@vtb/protocol/wire/entries.ts';
import { type Command, Option } from 'commander';
import type { Client } from '../client.ts';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { sendLog } from '../sendLog.ts';
import { readClaudeCode } from '../transcripts/claudeCode.ts';
import { readCodex } from '../transcripts/codex.ts';
import { transcriptFiles } from '../transcripts/transcriptFiles.ts';
import { withinRun } from '../transcripts/withinRun.ts';

interface LogOptions {
  readonly run?: string;
  readonly from?: TranscriptKind;
  readonly dryRun?: boolean;
}

/** `run log`. */
export function runLogCommand(run: Command, context: Context): void {
  run
    .command('log <path>')
    .description('add a research log, or what transcripts say, to a run; lines that it has are skipped')
    .option('--run <id>', 'the run (default: your only open one, else your only one)')
    .addOption(
      new Option(
        '--from <program>',
        'read transcripts of this program: a file, or a folder of one research. Only instants, model names and token counts leave this machine',
      ).choices(transcriptKinds),
    )
    .option('--dry-run', 'check and sum up, and send nothing')
    .action((path: string, options: LogOptions) => logRun(path, options, context));
}

async function logRun(path: string, options: LogOptions, context: Context): Promise<void> {
  const client = await context.member();
  const run = await loggedRun(options.run, client);
  const { lines, notes } =
    options.from === undefined
      ? await linesOfFile(path)
      : await linesOfTranscripts(path, options.from, run, context.signal);
  for (const note of notes) context.console.note(note);
  const tokens = researchTokens(lines.map(({ line }) => line));
  if (options.dryRun === true) {
    context.console.result(
      { run: run.id, sent: false, tokens, notes, lines: lines.map(({ line }) => line) },
      `${lines.length} line(s) for run ${run.id}; nothing was sent\n${tokenText(tokens)}`,
    );
    return;
  }
  const sent = await sendLog({ run: run.id, lines }, { client, console: context.console });
  context.console.result(
    { run: run.id, sent: true, ...sent, tokens, notes },
    `Run ${run.id}: ${sent.added} new line(s), ${sent.known} known before\n${tokenText(tokens)}`,
  );
}

interface Read {
  readonly lines: readonly Pick<ReadLine, 'number' | 'line'>[];
  readonly notes: readonly string[];
}

async function linesOfFile(path: string): Promise<Read> {
  const facts = await lstat(path).catch(() => null);
  if (facts === null || !facts.isFile())
    throw new Failure('usage', 'log.missing', `${path} is no file; for transcripts say --from`);
  if (facts.size > systemLimits.researchLogBytesMax)
    throw new Failure(
      'refused',
      'researchLog.invalid',
      `${path} has ${facts.size} bytes; a research log has at most ${systemLimits.researchLogBytesMax}`,
    );
  const { lines, repeated, problems } = readResearchLog(await readFile(path, 'utf8'));
  if (problems.length > 0)
    throw new Failure(
      'refused',
      'researchLog.invalid',
      `${path}: ${problems.length} problem(s); nothing was sent`,
      problems,
    );
  return { lines, notes: repeated === 0 ? [] : [`${repeated} line(s) stand in the file twice`] };
}

async function linesOfTranscripts(
  path: string,
  from: TranscriptKind,
  run: Pick<Run, 'startedAt' | 'endedAt'>,
  signal: AbortSignal,
): Promise<Read> {
  const files = await transcriptFiles(path, signal);
  const transcript = await (from === 'codex' ? readCodex : readClaudeCode)(files, signal);
  const { lines, outside } = withinRun(transcript, run);
  const { unfinished, unreadable } = transcript;
  const notes = [
    `${files.length} transcript(s): ${transcript.usage.length} model call(s)`,
    ...(outside > 0 ? [`${outside} line(s) are not of this run's time and were left out`] : []),
    ...(unfinished > 0 ? [`${unfinished} last line(s) are still being written: run this again later`] : []),
    ...(unreadable > 0 ? [`${unreadable} line(s) can't be read; what they said is not counted`] : []),
  ];
  if (transcript.usage.length + transcript.episodes.length === 0)
    throw new Failure('refused', 'transcript.empty', `no ${from} transcript was found in ${path}`);
  return { lines: lines.map((line: ResearchLine, index) => ({ number: index + 1, line })), notes };
}

function tokenText({ models, total }: ResearchTokens): string {
  if (total === null) return 'no tokens are declared';
  const count = (tokens: number | null) => (tokens === null ? 'unknown' : tokens.toLocaleString('en-GB'));
  return textTable(
    ['model', 'calls', 'input', 'of it cached', 'generated'],
    [...models.map((one) => ({ ...one, name: one.model ?? 'unknown' })), { ...total, name: 'all' }].map(
      ({ name, calls, inputTokens, cachedTokens, outputTokens }) => [
        name,
        count(calls),
        count(inputTokens),
        count(cachedTokens),
        count(outputTokens),
      ],
    ),
  );
}

/** The run given, else the only open one, else the only one: transcripts are read when the work is done. */
async function loggedRun(given: string | undefined, client: Client): Promise<Run> {
  if (given !== undefined) return client.get(`/runs/${given}`, runSchema);
  const { entries } = await client.get('/entries', entryListSchema);
  const details = await Promise.all(entries.map(({ id }) => client.get(`/entries/${id}`, entryDetailSchema)));
  const runs = details.flatMap((entry) => entry.runs.map((run) => ({ run, agent: entry.agent })));
  const open = runs.filter(({ run }) => run.endedAt === null);
  const [only, ...more] = open.length > 0 ? open : runs;
  if (only !== undefined && more.length === 0) return only.run;
  const known = runs.map(({ run, agent }) => `${run.id} (${agent}, ${run.track})`).join(', ');
  throw new Failure(
    'usage',
    'run.choose',
    runs.length === 0
      ? 'no run yet: vtb run start --entry ENTRY --track TRACK'
      : `say which run with --run: ${known}`,
  );
}
