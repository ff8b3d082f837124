/**
 * A trial's reward at the door, before any sum: what a verifier wrote, as parsed JSON.
 *
 * value    a number in [0, 1] is accepted; −0 is 0. null or undefined is no reward: the caller says whose
 *          fault that is (the system's counts 0, ours leaves the trial unresolved). Everything else is refused,
 *          also "1" as a string and true.
 * returns  never throws: a hostile value is an outcome here, not a bug.
 */
export function rewardInput(value: unknown): RewardInput {
  if (value === null || value === undefined) return { kind: 'none' };
  if (typeof value !== 'number')
    return { kind: 'refused', why: `A reward is a number, not a ${typeof value}.` };
  if (!(value >= 0 && value <= 1)) return { kind: 'refused', why: `Reward ${value} isn't in [0, 1].` };
  return { kind: 'reward', reward: value === 0 ? 0 : value };
}

/** What a verifier's value turned out to be. */
export type RewardInput =
  | { readonly kind: 'reward'; readonly reward: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };
