/** A whole number for people, digits in groups of three: 16777216 as "16,777,216". */
export function groupDigits(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
