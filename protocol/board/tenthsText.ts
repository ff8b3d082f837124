/** A whole number of tenths as text: 329 is "32.9". */
export function tenthsText(tenths: number): string {
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}
