import { failureReason } from '../messages/failureReason.ts';
import { avgMover } from '../scoring/avgMover.ts';
import type { ReducedFraction } from '../scoring/fraction.ts';
import type { Season } from '../season/definition.ts';
import type { EntryFact, PublishedFact } from './facts.ts';
import { shownAvg, shownScore, type TrackScore, trackScore } from './score.ts';
import type { BoardRow, Cell } from './table.ts';
import { tenthsText } from './tenthsText.ts';

/** A row before ranks, with the exact scores that ranks compare. */
export interface UnrankedRow {
  readonly row: BoardRow;
  readonly scores: ReadonlyMap<string, TrackScore>;
  readonly avg: ReducedFraction | null;
  /** When its last shown final was committed: earlier stands first inside a shared rank. */
  readonly sealedAt: number;
}

/** The row of an entry that has at least one published final; ranks are put in by rankRows. */
export function entryRow(
  entry: EntryFact,
  published: ReadonlyMap<string, PublishedFact>,
  season: Season,
): UnrankedRow {
  const scores = new Map<string, TrackScore>();
  for (const [track, fact] of published) {
    const score = scoreOf(fact);
    if (score !== null) scores.set(track, score);
  }
  const cells: Record<string, Cell> = {};
  for (const { id } of season.tracks) cells[id] = entryCell(published.get(id), scores.get(id));
  const avg = avgMover(
    season.tracks.map(({ id }) => {
      const score = scores.get(id);
      return score === undefined ? null : { score: score.fraction, interval: score.interval };
    }),
  );
  const shown = avg === null ? null : shownAvg(avg, [...scores.values()]);
  const facts = [...published.values()];
  const elapsedMs = facts.reduce(
    (sum, fact) => sum + (fact.committedAt.getTime() - fact.runStartedAt.getTime()),
    0,
  );
  return {
    scores,
    avg: avg?.fraction ?? null,
    sealedAt: Math.max(...facts.map((fact) => fact.committedAt.getTime())),
    row: {
      kind: 'entry',
      id: entry.id,
      name: entry.agent,
      harness: entry.agentHarness,
      model: null,
      team: entry.team,
      source: null,
      complete: avg !== null,
      avg:
        shown === null
          ? null
          : { shown: shown.shown, score: shown, rank: null, tied: false, rankRange: null },
      cells,
      hours: { value: elapsedMs / 3_600_000, shown: tenthsText(Math.round(elapsedMs / 360_000)) },
      researchTokens: researchTokens(facts),
      replayTokens: replayTokens(facts),
      finalsUsed: facts.reduce((sum, fact) => sum + fact.finalsUsed, 0),
    },
  };
}

function scoreOf({ result }: PublishedFact): TrackScore | null {
  if (result.kind !== 'scored') return null;
  const [first] = result.metrics;
  if (first === undefined) throw new Error('a scored result names at least one metric');
  return trackScore(first);
}

function entryCell(fact: PublishedFact | undefined, score: TrackScore | undefined): Cell {
  if (fact === undefined) return { kind: 'none' };
  const graded = {
    submission: fact.submission,
    grading: fact.grading,
    gradingNumber: fact.gradingNumber,
    system: fact.system,
    publishedAt: fact.publishedAt.toISOString(),
    committedAt: fact.committedAt.toISOString(),
    withdrawnAt: fact.withdrawnAt?.toISOString() ?? null,
    finalsUsed: fact.finalsUsed,
  };
  const { result } = fact;
  if (result.kind === 'failed') return { kind: 'unscored', ...graded, reason: failureReason(result) };
  const [metric] = result.metrics;
  if (metric === undefined || score === undefined)
    throw new Error('a scored result names at least one metric');
  return {
    kind: 'replayed',
    ...graded,
    score: shownScore(score),
    metric: metric.name,
    n: metric.n,
    k: metric.k,
    rank: 0,
    tied: false,
    rankRange: null,
    isolation: result.environment.isolation,
    flags: [...result.flags],
  };
}

/** Unknown is not 0: a run that declares nothing makes the sum over the row's runs unknown. */
function researchTokens(facts: readonly PublishedFact[]): number | null {
  return facts.reduce<number | null>(
    (sum, fact) => (sum === null || fact.researchTokens === null ? null : sum + fact.researchTokens),
    0,
  );
}

/** Unknown is not 0: one unknown part makes the sum unknown. */
function replayTokens(facts: readonly PublishedFact[]): BoardRow['replayTokens'] {
  let [prompt, generated] = [0, 0];
  for (const { result } of facts) {
    if (result.kind !== 'scored') return null;
    const { promptTokens, generatedTokens } = result.totals;
    if (promptTokens === null || generatedTokens === null) return null;
    prompt += promptTokens;
    generated += generatedTokens;
  }
  return { prompt, generated, total: prompt + generated };
}
