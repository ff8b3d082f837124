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
