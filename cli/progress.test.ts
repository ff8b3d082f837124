import { expect, test } from 'vitest';
import { progressText, startProgress, timeText } from './progress.ts';

const MiB = 1024 * 1024;

/** A console that keeps what it was told, with a clock that the test moves. */
function listener(live: boolean) {
  const said: string[] = [];
  const clock = { ms: 5_000 };
  const say = (text: string) => said.push(text);
  return { said, clock, deps: { console: { live, bar: say, note: say }, nowMs: () => clock.ms } };
}

test('says bytes, rate, time left, and what was there already', () => {
  const input = { verb: 'sending', total: 100 * MiB, before: '3.0 GiB need not be sent' };
  expect(progressText({ ...input, done: 40 * MiB, bytesPerSecond: 2 * MiB })).toBe(
    'sending 40.0 MiB of 100.0 MiB (3.0 GiB need not be sent) at 2.0 MiB/s, 30 s left',
  );
  expect(progressText({ verb: 'hashing', total: 10, done: 0, bytesPerSecond: 0 })).toBe(
    'hashing 0 B of 10 B at 0 B/s',
  );
});

test('the rate is that of the last seconds, so a pause is soon forgotten', () => {
  const { said, clock, deps } = listener(true);
  const progress = startProgress({ verb: 'sending', total: 1_000 * MiB }, deps);
  clock.ms += 1_000;
  progress.to(10 * MiB);
  clock.ms += 3_600_000;
  progress.to(10 * MiB);
  for (let second = 1; second <= 12; second++) {
    clock.ms += 1_000;
    progress.to((10 + second * 5) * MiB);
  }
  expect(said.at(-1)).toContain('at 5.0 MiB/s');
});

test.each([
  [true, 100],
  [false, 30_000],
])('with a terminal: %s, at most one line in %i ms', (live, everyMs) => {
  const { said, clock, deps } = listener(live);
  const progress = startProgress({ verb: 'hashing', total: 1_000_000 }, deps);
  for (let step = 0; step < 1_000; step++) {
    clock.ms += everyMs / 100;
    progress.to(step);
  }
  expect(said).toHaveLength(10);
});

test('times read as people say them', () => {
  expect([0, 119.2, 120, 7_140, 7_300].map(timeText)).toEqual([
    '1 s',
    '2 min',
    '2 min',
    '119 min',
    '2 h 2 min',
  ]);
});
