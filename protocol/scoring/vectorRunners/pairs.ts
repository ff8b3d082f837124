import { z } from 'zod';
import { compactLetters } from '../compactLetters.ts';
import { competitionRanks } from '../competitionRanks.ts';
import { discordantFromOverlap, overlapSums } from '../discordantFromOverlap.ts';
import { fractionText } from '../fraction.ts';
import { holm } from '../holm.ts';
import { pairAvg } from '../pairAvg.ts';
import { pairBinary } from '../pairBinary.ts';
import type { PairResult } from '../pairRepeated.ts';
import { pairRepeated } from '../pairRepeated.ts';
import type { Verdict } from '../pairTriangle.ts';
import { pairTriangle } from '../pairTriangle.ts';
import { rankRanges } from '../rankRanges.ts';
import { signFlipExact } from '../signFlipExact.ts';
import type { Runners } from './runner.ts';
import { bounds, figures, numbers, share } from './runner.ts';

/** Comparisons of systems, and ranks. */
export const pairs: Runners = {
  pairBinary: (input) => pairShown(pairBinary(figures('b', 'c', 'n').parse(input))),
  pairRepeated: (input) =>
    pairShown(pairRepeated(z.object({ a: numbers, b: numbers, k: z.number() }).parse(input))),
  overlap: (input) => {
    const lists = z.object({ successesA: numbers, successesB: numbers }).safeParse(input);
    if (lists.success) return overlapSums(lists.data.successesA, lists.data.successesB);
    const discordant = discordantFromOverlap(figures('KA', 'KB', 'o', 'n').parse(input));
    return { ...pairShown(pairBinary(discordant)), ...discordant };
  },
  pairAvg: (input) => {
    const track = figures('w', 'n', 'k', 'sumD', 'sumD2').transform(({ w, ...sums }) => ({
      ...sums,
      weight: w,
    }));
    return pairAvg(z.object({ tracks: z.array(track) }).parse(input).tracks);
  },
  holm: (input) => {
    if (input !== 'first two values 0.0002631 and 0.0002632, then 188 times 0.5')
      return holm(numbers.parse(input));
    return holm([0.0002631, 0.0002632, ...new Array<number>(188).fill(0.5)]).slice(0, 3);
  },
  rank: (input) => {
    const fraction = z.string().transform((text) => {
      const [numerator = '', denominator = '1'] = text.split('/');
      return share(Number(numerator), Number(denominator));
    });
    return competitionRanks(z.array(fraction.nullable()).parse(input));
  },
  rankRange: (input) => {
    const { rows, different } = z
      .object({ rows: z.array(z.string()), different: z.array(z.tuple([z.string(), z.string()])) })
      .parse(input);
    const beats = new Set(different.map(([winner, loser]) => `${winner}>${loser}`));
    const verdicts = pairTriangle(rows.length).map(
      ([i, j]): Verdict => (beats.has(`${rows[i]}>${rows[j]}`) ? 'better' : 'not distinguishable'),
    );
    const { ranges, tiedWithFirst } = rankRanges({ rows: rows.length, verdicts });
    return {
      rankRanges: ranges.map(bounds),
      tiedWithFirst: tiedWithFirst.map((row) => rows[row]),
      compactLetters: compactLetters(rows.length, verdicts),
    };
  },
};

/** With the fractions, from the histogram's differences: slow, but exactly what the vectors state. */
function pairShown(pair: PairResult) {
  const differences = Object.entries(pair.histogram).flatMap(([d, times]) =>
    new Array<number>(times).fill(Number(d)),
  );
  const { exact, mid } = signFlipExact(differences);
  return {
    ...pair,
    interval: bounds(pair.interval),
    pExactFraction: fractionText(exact),
    pMidFraction: fractionText(mid),
  };
}
