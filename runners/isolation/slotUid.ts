/** First uid of the range that belongs to boxes; everything below belongs to the system. */
export const boxUidMin = 1_900_000_000;

/** How many slots the range has; chosen so that the last uid stays below 2^31. */
export const boxSlotsMax = 1_000_000;

/**
 * The uid (and gid) of a leased slot.
 *
 * slot     integer in [0, boxSlotsMax); reused only after everything that ran under it is dead
 * throws   RangeError for any other slot: a wrong uid would be one of the system's.
 */
export function slotUid(slot: number): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= boxSlotsMax) {
    throw new RangeError(`box slot ${slot} is outside 0…${boxSlotsMax - 1}`);
  }
  return boxUidMin + slot;
}
