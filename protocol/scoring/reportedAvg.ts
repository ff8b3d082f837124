import { roundTenths } from './roundTenths.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * Avg. of a reported row: the mean of its printed decimals, rounded once. No interval, no test, no rank.
 *
 * percentTenths  the printed percents times ten (32.9 is 329), each whole, in [0, 1000]; null where the row
 *                has no number: then there is no Avg. either.
 * returns        text such as "22.7", or null.
 * throws         RangeError for a number that isn't a printed percent.
 */
export function reportedAvg(percentTenths: readonly (number | null)[]): string | null {
  const present = percentTenths.filter((tenths) => tenths !== null);
  if (present.length === 0 || present.length < percentTenths.length) return null;
  for (const tenths of present) wholeNumber('A percent in tenths', tenths, { min: 0, max: 1000 });
  const numerator = present.reduce((total, tenths) => total + tenths, 0);
  return roundTenths({ numerator, denominator: 1000 * present.length });
}
