import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countAllowance } from './countAllowance.ts';
import { type RunTimes, runClock, type StateChange } from './runClock.ts';

const minute = 60_000;
const start = Date.parse('2026-12-02T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * minute);
const change = (
  submission: string,
  state: string,
  minutes: number,
  purpose: StateChange['purpose'] = 'validation',
): StateChange => ({ submission, purpose, state, at: at(minutes) });
const run = (changes: readonly StateChange[], now: number, more: Partial<RunTimes> = {}): RunTimes => ({
  startedAt: at(0),
  endedAt: null,
  budgetHours: 1,
  creditsWaiting: true,
  changes,
  at: at(now),
  ...more,
});

test('waiting is from queued to the end of grading, and moves the deadline where it is credited', () => {
  const changes = [
    change('a', 'committed', 5),
    change('a', 'queued', 10),
    change('a', 'grading', 15),
    change('a', 'graded', 30),
  ];
  expect(runClock(run(changes, 40))).toEqual({ waitedMs: 20 * minute, deadline: at(80) });
  expect(runClock(run(changes, 40, { creditsWaiting: false }))).toEqual({
    waitedMs: 20 * minute,
    deadline: at(60),
  });
});

test('submissions that wait side by side count once, and one that waits now counts until now', () => {
  const changes = [change('a', 'queued', 10), change('b', 'queued', 20), change('a', 'graded', 30)];
  expect(runClock(run(changes, 50)).waitedMs).toBe(40 * minute);
});

test('a final’s waiting is not credited, and after the run’s end the clock stands still', () => {
  expect(runClock(run([change('f', 'queued', 10, 'final')], 50)).waitedMs).toBe(0);
  expect(runClock(run([change('a', 'queued', 10)], 500, { endedAt: at(30) })).waitedMs).toBe(20 * minute);
});

test('waiting is never more than the time the run has had, and never less than the longest wait', () => {
  const wait = fc.tuple(fc.nat(200), fc.nat(200));
  fc.assert(
    fc.property(fc.array(wait, { maxLength: 12 }), fc.nat(400), (waits, now) => {
      const changes = waits
        .flatMap(([from, length], index) => [
          change(`s${index}`, 'queued', from),
          change(`s${index}`, 'graded', from + length),
        ])
        .sort((a, b) => a.at.getTime() - b.at.getTime());
      const { waitedMs } = runClock(run(changes, now));
      const longest = Math.max(0, ...waits.map(([from, length]) => Math.min(from + length, now) - from));
      return waitedMs <= now * minute && waitedMs >= longest * minute;
    }),
  );
});

test('a submission counts once on an account: spent over reserved, and nothing once released', () => {
  const acts = ['reserve', 'spend', 'release'] as const;
  const line = fc.record({
    submission: fc.constantFrom('a', 'b', 'c', 'd'),
    account: fc.constantFrom('finals', 'validations', 'failedTries'),
    act: fc.constantFrom(...acts),
  });
  fc.assert(
    fc.property(fc.array(line), fc.nat(5), (lines, limit) => {
      const { spent, reserved, left } = countAllowance(lines, 'finals', limit);
      const of = (id: string, act: string) =>
        lines.some((l) => l.account === 'finals' && l.submission === id && l.act === act);
      const ids = ['a', 'b', 'c', 'd'];
      expect(spent).toBe(ids.filter((id) => of(id, 'spend')).length);
      expect(reserved).toBe(
        ids.filter((id) => of(id, 'reserve') && !of(id, 'spend') && !of(id, 'release')).length,
      );
      expect(left).toBe(Math.max(0, limit - spent - reserved));
    }),
  );
});
