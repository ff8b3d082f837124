/** Says whether one more call by a key is within its rate; `atMs` is of a clock that nobody sets. */
export type RateLimits = (input: {
  readonly key: string;
  readonly perMinute: number;
  readonly atMs: number;
}) => boolean;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Two generations of these are about 10 MB; what neither has seen is forgotten, which can only be kind to its caller. */
const generationMax = 25_000;

/**
 * Token buckets in this process's memory, a minute's worth of calls as burst.
 *
 * Several gateways behind a balancer each count their own: the bound is per process, and guards the process.
 */
export function newRateLimits(): RateLimits {
  // Generations instead of dropping the oldest key: a Map's first key is slow to find after many deletions.
  let young = new Map<string, Bucket>();
  let old = new Map<string, Bucket>();
  return ({ key, perMinute, atMs }) => {
    const bucket = young.get(key) ?? old.get(key);
    const elapsedMs = bucket === undefined ? 0 : Math.max(0, atMs - bucket.atMs);
    const refilled =
      bucket === undefined
        ? perMinute
        : Math.min(perMinute, bucket.tokens + (elapsedMs / 60_000) * perMinute);
    const allowed = refilled >= 1;
    young.set(key, { tokens: allowed ? refilled - 1 : refilled, atMs });
    if (young.size >= generationMax) {
      old = young;
      young = new Map();
    }
    return allowed;
  };
}
