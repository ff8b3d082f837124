import { z } from 'zod';
import { avgMover } from '../avgMover.ts';
import type { Comparisons } from '../compareColumn.ts';
import { compareAvg, compareColumn } from '../compareColumn.ts';
import { competitionRanks } from '../competitionRanks.ts';
import type { Fraction } from '../fraction.ts';
import { fractionText } from '../fraction.ts';
import type { Metric } from '../metrics.ts';
import { metricNamed } from '../metrics.ts';
import { pairTriangle } from '../pairTriangle.ts';
import { rankRanges } from '../rankRanges.ts';
import { roundTenths } from '../roundTenths.ts';
import { taskInterval } from '../taskInterval.ts';
import type { Runners } from './runner.ts';
import { bounds, numbers } from './runner.ts';

/** Everything at once: what the grader compares and the board shows, for four rows on three tracks. */
export const wholeBoard: Runners = {
  wholeBoard: (input) => {
    const tracks = z.strictObject({ t1: rowSchema, t2: rowSchema, t3: rowSchema }).parse(input);
    const ids = Object.keys(tracks.t1).sort();
    const columns = [
      column('t1', metricNamed('mean', 1), tracks.t1, ids),
      column('t2', metricNamed('avg@4', 4), tracks.t2, ids),
      column('t3', metricNamed('pass@3', 3), tracks.t3, ids),
    ];
    const [t1] = columns;
    const avgs = ids.map((_, row) => avgMover(columns.map(({ cells }) => cells[row] ?? null)));
    const inAvg = compareAvg(columns.map(({ compared }) => compared.pairs));
    const pairs = pairTriangle(ids.length).map(([i, j]) => `${ids[i]}-${ids[j]}`);
    return {
      cells: keyed(ids, (row) =>
        Object.fromEntries(columns.map((track) => [track.name, track.cells[row]?.shown])),
      ),
      avg: keyed(ids, (row) => {
        const avg = avgs[row];
        return (
          avg && {
            fraction: fractionText(avg.fraction),
            shown: roundTenths(avg.fraction),
            interval: bounds(avg.interval),
          }
        );
      }),
      pairs: keyed(pairs, (at) => ({
        ...Object.fromEntries(columns.map((track) => [track.name, track.compared.pairs[at]])),
        avg: inAvg.pairs[at],
      })),
      holmAvg: keyed(pairs, (at) => inAvg.adjusted[at]),
      holmT1: keyed(pairs, (at) => t1?.compared.adjusted[at]),
      ...ranked(
        'Avg',
        ids,
        avgs.map((avg) => avg?.fraction ?? null),
        inAvg,
      ),
      ...(t1 &&
        ranked(
          'T1',
          ids,
          t1.cells.map(({ score }) => score),
          t1.compared,
        )),
    };
  },
};

const rowSchema = z.record(z.string(), numbers);

function column(name: string, metric: Metric, rows: z.infer<typeof rowSchema>, ids: readonly string[]) {
  const counts = ids.map((id) => rows[id] ?? []);
  const cells = counts.map((row) => {
    const sums = metric.sums(row);
    const score = metric.score(sums);
    const { nEff, interval } = taskInterval(sums);
    const shown = {
      K: score.numerator,
      N: score.denominator,
      shown: roundTenths(score),
      nEff,
      interval: bounds(interval),
    };
    return { score, interval, shown };
  });
  return { name, cells, compared: compareColumn({ rows: counts.map(metric.values), k: metric.outOf }) };
}

/** The vectors list rows best first, as rankRanges wants them. */
function ranked(
  name: string,
  ids: readonly string[],
  scores: readonly (Fraction | null)[],
  compared: Comparisons<unknown>,
) {
  const ranks = competitionRanks(scores);
  const { ranges } = rankRanges({ rows: ids.length, verdicts: compared.verdicts });
  return {
    [`rank${name}`]: keyed(ids, (row) => ranks[row]),
    [`rankRange${name}`]: keyed(ids, (row) => {
      const range = ranges[row];
      return range && bounds(range);
    }),
  };
}

function keyed<Value>(keys: readonly string[], value: (at: number) => Value): Record<string, Value> {
  return Object.fromEntries(keys.map((key, at) => [key, value(at)]));
}
