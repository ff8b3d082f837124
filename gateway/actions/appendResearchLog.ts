import { writeAudit } from '@vtb/db/public/audit.ts';
import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import {
  addResearchLines,
  countResearchLines,
  hasPublished,
  noteResearchTotal,
  submissionIdsOf,
} from '@vtb/db/public/researchLog.ts';
import { lockRun } from '@vtb/db/public/runs.ts';
import { type Problem, Refusal } from '@vtb/protocol/errors.ts';
import { researchLogLimits as limits } from '@vtb/protocol/researchLog/limits.ts';
import { type ReadLine, readResearchLog } from '@vtb/protocol/researchLog/readResearchLog.ts';
import type { AppendedLines } from '@vtb/protocol/wire/researchLog.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';

/** Clocks of honest machines differ by less. */
const aheadMsMax = 10 * 60_000;

/**
 * Takes lines into a run's research log, also after its end: transcripts are read when the work is done. Lines that are
 * there already change nothing, so that the same file may be sent again, whole or grown. Either all lines are taken or,
 * with every problem said, none. Once a final of the run is published, what changes its declared tokens changes the board.
 *
 * throws  Refusal researchLog.invalid or researchLog.full.
 */
export async function appendResearchLog(
  input: { readonly caller: Person; readonly run: string; readonly text: string; readonly at: Date },
  tx: Db,
): Promise<AppendedLines> {
  const { caller, at } = input;
  const asked = input.text.split('\n').filter((line) => line.trim() !== '').length;
  if (asked > limits.requestLinesMax)
    throw new Refusal(
      'researchLog.invalid',
      `${asked} lines; one request takes ${limits.requestLinesMax}: send the log in parts`,
    );
  const { lines, repeated, problems } = readResearchLog(input.text);
  const context = await lockRun(input.run, tx);
  if (context === undefined) throw notFound();
  const run = context.run.id;
  const submissions = await submissionIdsOf(run, tx);
  const all = [...problems, ...lines.flatMap((line) => foreignProblems(line, submissions, at))];
  if (all.length > 0)
    throw new Refusal(
      'researchLog.invalid',
      `${all.length} problem(s); nothing was taken`,
      all.slice(0, limits.problemsMax),
    );
  const added = await addResearchLines({ run, lines, receivedAt: at }, tx);
  const total = await countResearchLines(run, tx);
  if (total > limits.runLinesMax)
    throw new Refusal(
      'researchLog.full',
      `a run's log has at most ${limits.runLinesMax} lines; this would make ${total}`,
    );
  const count = added.episode + added.design + added.usage;
  if (count > 0) {
    await writeAudit(
      { at, actor: caller.account, act: 'run.logged', subject: run, reason: null, detail: added },
      tx,
    );
    if (added.usage > 0 && (await noteResearchTotal({ run, at }, tx)) && (await hasPublished(run, tx)))
      await bumpBoard(context.entry.season, at, tx);
  }
  return { run, added: count, known: lines.length + repeated - count, lines: total };
}

/** What a line alone doesn't tell: whose submission it names, and whether it is of the past. */
function foreignProblems({ number, line }: ReadLine, submissions: ReadonlySet<string>, now: Date): Problem[] {
  if (line.kind === 'design') {
    if (line.submission === undefined || submissions.has(line.submission)) return [];
    return [
      {
        code: 'researchLog.submission',
        at: `line ${number} submission`,
        message: `${line.submission} is no submission of this run`,
        fix: 'Name a submission of this run, or leave it out.',
      },
    ];
  }
  const at = line.kind === 'episode' ? line.endedAt : line.at;
  if (Date.parse(at) <= now.getTime() + aheadMsMax) return [];
  return [
    {
      code: 'researchLog.future',
      at: `line ${number} ${line.kind === 'episode' ? 'endedAt' : 'at'}`,
      message: `${at} is in the future; it is ${now.toISOString()}`,
      fix: 'Log what has happened, in UTC.',
    },
  ];
}
