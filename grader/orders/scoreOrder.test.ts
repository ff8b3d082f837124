import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { replaysOf } from '@vtb/db/vault/replays.ts';
import { trialsOf } from '@vtb/db/vault/trials.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { beforeAll, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { testEnclave, testSystem } from '../testKit.ts';
import { testDesk } from '../testKitRunner.ts';
import { scoreOrder } from './scoreOrder.ts';

const database = await testDatabase('vault');
const at = await testEnclave(database.url);
let order = '';

beforeAll(async () => {
  ({ order } = await at.feed.sendOrder(testSystem('scored'), 'validation'));
  await gradeOnce({ number: 0 }, at.enclave);
  await (await testDesk(at.enclave).enrol()).work(() => '\\boxed{2}');
});

/** The graded trials with rewards as given, task by task, scored as a track of that metric would. */
async function scoreAs(metric: Track['settings']['metric'], rewards: readonly (readonly number[])[]) {
  const { db, seasons } = at.enclave;
  const [track] = seasons.get('pocket')?.season.tracks ?? [];
  const row = await findOrder(order, db);
  if (track === undefined || row === undefined) throw new Error('the order is there');
  const scored = scoreOrder({
    track: { ...track, settings: { ...track.settings, metric } },
    hidden: row.hidden,
    trialsPerTask: row.trialsPerTask,
    trials: (await trialsOf(order, db)).map((trial) => ({
      ...trial,
      reward: rewards[trial.task]?.[trial.trial] ?? 0,
    })),
    replays: await replaysOf(order, db),
  });
  return scored.kind === 'scored' ? scored.result.metrics : scored;
}

test('pass@k counts a task once and says the trials it had', async () => {
  const rewards = [
    [1, 1],
    [0, 1],
    [0, 0],
  ];
  expect(await scoreAs('pass@k', rewards)).toMatchObject([
    { name: 'pass@2', n: 3, k: 2, sumC: 2, sumC2: null },
  ]);
  expect(await scoreAs('avg@k', rewards)).toMatchObject([{ name: 'avg@2', n: 3, k: 2, sumC: 3, sumC2: 5 }]);
});

test('a result with more than 2 % of its trials retried says so in public; the maintainers learn how many', async () => {
  const { db, seasons } = at.enclave;
  const [track] = seasons.get('pocket')?.season.tracks ?? [];
  if (track === undefined) throw new Error('the season has a track');
  const trials = Array.from({ length: 50 }, () => 0);
  const [rows, replays] = [await trialsOf(order, db), await replaysOf(order, db)];
  const [row] = rows;
  if (row === undefined) throw new Error('the order has trials');
  const scored = (retried: number) =>
    scoreOrder({
      ...{ track: { ...track, settings: { ...track.settings, trials: 2 } }, hidden: true, trialsPerTask: 2 },
      trials: trials.flatMap((_, task) =>
        [0, 1].map((trial) => ({ ...row, task, trial, attempt: 2 * task + trial < retried ? 2 : 1 })),
      ),
      replays,
    });
  expect(scored(2)).toMatchObject({ result: { flags: [] }, maintainers: { holdCause: null } });
  expect(scored(3)).toMatchObject({
    result: { flags: ['heldForRetries'], retriedTrials: '1-4' },
    maintainers: { holdCause: '3 of 100 trials were retried' },
  });
});
