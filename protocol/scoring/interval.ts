/** A 95 % interval, low ≤ high, as shares (or differences of shares), never percent. */
export type Interval = { readonly low: number; readonly high: number };

/** 97.5 % quantile of the standard normal: every interval here is two-sided at 95 %. */
export const z975 = 1.959963984540054;
