/** Says whether one more call by a key is within its rate. */
export type RateLimits = (input: {
  readonly key: string;
  readonly perMinute: number;
  readonly atMs: number;
}) => boolean;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** About 10 MB of buckets; past that the longest unused one is forgotten, which can only be kind to its caller. */
const bucketsMax = 50_000;

/**
 * Token buckets in this process's memory, a minute's worth of calls as burst.
 *
 * Several gateways behind a balancer each count their own: the bound is per process, and guards the process.
 */
export function newRateLimits(): RateLimits {
  const buckets = new Map<string, Bucket>();
  return ({ key, perMinute, atMs }) => {
    const old = buckets.get(key);
    const refilled =
      old === undefined
        ? perMinute
        : Math.min(perMinute, old.tokens + ((atMs - old.atMs) / 60_000) * perMinute);
    const allowed = refilled >= 1;
    // Re-inserted last: a Map's first key is then the longest unused.
    buckets.delete(key);
    buckets.set(key, { tokens: allowed ? refilled - 1 : refilled, atMs });
    const oldest = buckets.keys().next();
    if (buckets.size > bucketsMax && !oldest.done) buckets.delete(oldest.value);
    return allowed;
  };
}
