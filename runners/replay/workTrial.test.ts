import { join } from 'node:path';
import type { TrialOutcome } from '@vtb/protocol/wire/desk.ts';
import { loadSeason } from '@vtb/seasons/load.ts';
import { expect, test } from 'vitest';
import { DeskRefused } from '../desk/deskFailure.ts';
import type { DriverEnd } from '../drivers/driver.ts';
import { type TrialDeps, workTrial } from './workTrial.ts';

const { season } = await loadSeason(join(import.meta.dirname, '../../seasons/pocket'));
const usage = { promptTokens: 1, cachedTokens: 0, generatedTokens: 1 };
const answered: DriverEnd = {
  kind: 'outcome',
  outcome: { kind: 'answered', end: 'stop', output: 'x', reasoning: null, usage, durationMs: 1 },
};

/** What the desk took from one trial whose driver ended so; `status` is its answer to an answered outcome. */
async function outcomesOf(
  end: DriverEnd,
  more: { attempt: number; status?: number; verdict?: 'system' | 'ours' },
) {
  const [track] = season.tracks;
  if (track === undefined) throw new Error('the pocket season has a track');
  const taken: TrialOutcome[] = [];
  const { signal } = new AbortController();
  const unused = () => Promise.reject(new Error('not used here'));
  const deps: TrialDeps = {
    desk: {
      ...{ lease: unused, heartbeat: unused, claim: unused, finish: unused, chunk: unused, asset: unused },
      task: async () => ({ driver: 'prompt', problem: '1 + 1?' }),
      agentDone: async () => {},
      async outcome(_, outcome) {
        if (outcome.kind === 'answered' && more.status !== undefined)
          throw new DeskRefused('an outcome', { status: more.status, code: 'x' });
        taken.push(outcome);
      },
    },
    heart: { lost: signal, hold: () => signal, release: () => {}, stop: async () => {} },
    driver: { name: 'prompt', work: async () => end },
    calibration: { blame: async () => more.verdict ?? 'system' },
    log: () => {},
    enter: async () => () => {},
    broken: new AbortController(),
    signal,
    proxy: { socketPath: '', openTrial: unused, closeTrial: unused },
    takeUsage: () => [],
    newToken: () => 'token',
    wallClockMs: 1_000,
  };
  const claimed = { trial: `tri_${'a'.repeat(20)}`, fencing: 1, attempt: more.attempt, seed: 1 };
  await workTrial(claimed, { track }, deps);
  return taken;
}

for (const status of [400, 413, 422]) {
  test(`an answer that the desk refuses with ${status} is the system's failure where other weights serve`, async () => {
    expect(await outcomesOf(answered, { attempt: 2, status })).toMatchObject([
      { kind: 'failed', fault: 'system', phase: 'serve' },
    ]);
    await expect(outcomesOf(answered, { attempt: 2, status, verdict: 'ours' })).rejects.toMatchObject({
      result: { kind: 'failed', fault: 'ours', cause: 'engine' },
    });
  });
}

test('what the engine breaks is tried once again and then judged; other refusals of the desk stay ours', async () => {
  const broke: DriverEnd = { kind: 'engineFailed', usage, durationMs: 1 };
  expect(await outcomesOf(broke, { attempt: 1 })).toMatchObject([{ fault: 'ours', phase: 'engine' }]);
  expect(await outcomesOf(broke, { attempt: 2 })).toMatchObject([{ fault: 'system', phase: 'serve' }]);
  expect(await outcomesOf(answered, { attempt: 2, status: 403 })).toMatchObject([
    { fault: 'ours', phase: 'runner' },
  ]);
});
