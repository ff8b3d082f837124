/** A count as people read it: 1,234 stays, 57448 is 57.4K, 1900000 is 1.9M. */
export function shortCount(count: number): string {
  if (count < 10_000) return count.toLocaleString('en-GB');
  const [divisor, unit] =
    count < 999_950 ? [1_000, 'K'] : count < 999_950_000 ? [1_000_000, 'M'] : [1_000_000_000, 'B'];
  return `${(count / divisor).toFixed(1)}${unit}`;
}

/** An instant in UTC, to the minute: "1 Dec 2026, 14:05 UTC". */
export function minuteText(instant: Date | string): string {
  const date = new Date(instant);
  const day = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
  return `${day}, ${time} UTC`;
}

/** A share as percent to one decimal, for interval ends. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** The first twelve digits of a digest: enough to recognise, never to prove. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}
