import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import { entries, gradings, researchTotals, runs, submissions, teams } from '@vtb/db/public/schema.ts';
import { scored } from '@vtb/gateway/testing/testEnclave.ts';
import type { TestGateway } from '@vtb/gateway/testing/testGateway.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { Result } from '@vtb/protocol/messages/report.ts';

/** A row of a board to be: who it is, and what it has on each track. */
export interface PublishedRow {
  readonly agent: string;
  readonly harness: string | null;
  readonly team?: string;
  /** By track id; null is a result without a score. */
  readonly solved: Readonly<Record<string, number | null>>;
  /** Tokens its log declares for every run; null where it declares none. */
  readonly researchTokens?: number | null;
}

const failed: Result = { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' };

/**
 * Writes published finals straight into the database: the rows that publication leaves, without its messages. For boards
 * larger than a test could grade; what signs and releases is tested elsewhere.
 */
export async function publishRows(
  input: { readonly season: string; readonly rows: readonly PublishedRow[] },
  { deps, clock, owner }: TestGateway,
): Promise<{ readonly entry: string; readonly submissions: readonly string[] }[]> {
  const at = clock.at;
  const id = (kind: Parameters<typeof newId>[0]) => newId(kind, deps.random(20));
  const made = input.rows.map((row, index) => ({ row, index, team: id('team'), entry: id('entry') }));
  const runRows = made.flatMap(({ row, index, entry }) =>
    Object.entries(row.solved).map(([track, solved], place) => ({
      run: id('run'),
      submission: id('submission'),
      grading: id('grading'),
      entry,
      track,
      solved,
      tokens: row.researchTokens ?? null,
      startedAt: new Date(at.getTime() - (2 + (index % 7) + place) * 3_600_000),
      committedAt: new Date(at.getTime() - 3_600_000 + index * 1_000),
    })),
  );
  await deps.db.transaction(async (tx) => {
    const each = async <Row>(rows: readonly Row[], insert: (part: Row[]) => Promise<unknown>) => {
      for (let start = 0; start < rows.length; start += 500) await insert(rows.slice(start, start + 500));
    };
    await each(
      made.map(({ row, team }) => ({ id: team, name: row.team ?? `Team ${team.slice(-6)}`, createdAt: at })),
      (part) => tx.insert(teams).values(part).then(),
    );
    await each(
      made.map(({ row, team, entry }) => ({
        id: entry,
        team,
        season: input.season,
        agent: row.agent,
        agentHarness: row.harness,
        createdAt: at,
      })),
      (part) => tx.insert(entries).values(part).then(),
    );
    await each(
      runRows.map(({ run, entry, track, startedAt, committedAt }) => ({
        id: run,
        entry,
        track,
        startedAt,
        endedAt: committedAt,
        endReason: 'final' as const,
      })),
      (part) => tx.insert(runs).values(part).then(),
    );
    await each(
      runRows.map(({ run, submission, grading, committedAt }) => ({
        id: submission,
        run,
        purpose: 'final' as const,
        state: 'published',
        stateAt: at,
        system: sha256Hex(submission),
        manifest: {},
        bytes: 1,
        committedAt,
        committedBy: owner.account,
        committedWith: owner.jti,
        uploadUntil: committedAt,
        currentGrading: grading,
      })),
      (part) => tx.insert(submissions).values(part).then(),
    );
    await each(
      runRows.map(({ submission, grading, solved }) => ({
        id: grading,
        submission,
        number: 1,
        cause: 'first' as const,
        state: 'reported',
        order: id('order'),
        orderDigest: sha256Hex(grading),
        split: sha256Hex('split'),
        settings: sha256Hex('settings'),
        orderedAt: at,
        finishedAt: at,
        result: solved === null ? failed : scored(solved),
        publishedAt: at,
      })),
      (part) => tx.insert(gradings).values(part).then(),
    );
    await each(
      runRows.flatMap(({ run, tokens }) => (tokens === null ? [] : [{ run, generatedTokens: tokens, at }])),
      (part) => tx.insert(researchTotals).values(part).then(),
    );
    await bumpBoard(input.season, at, tx);
  });
  return made.map(({ entry }) => ({
    entry,
    submissions: runRows.filter((run) => run.entry === entry).map(({ submission }) => submission),
  }));
}
