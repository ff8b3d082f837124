import type { Track } from '@vtb/protocol/season/track.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** A day for a courier that works by drive, and room for a queue before the order's own turn. */
const patienceMs = 24 * hourMs;

/** What an order costs by the season's nominal minutes: never measured time. */
export function nominalMinutes(track: Track, tasks: number): number {
  return tasks * track.settings.trials * track.nominalMinutesPerTrial;
}

/** When an order is given up: four times its nominal cost, and at least a day, after it was issued. */
export function orderDeadline(input: {
  readonly track: Track;
  readonly tasks: number;
  readonly orderedAt: Date;
}): Date {
  const worthMs = nominalMinutes(input.track, input.tasks) * minuteMs;
  return new Date(input.orderedAt.getTime() + patienceMs + 4 * worthMs);
}
