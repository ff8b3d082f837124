import { randomBytes } from 'node:crypto';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { latestAlarms } from '@vtb/db/vault/alarms.ts';
import { feedCursor } from '@vtb/db/vault/feed.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { reportOf } from '@vtb/db/vault/outgoing.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { reportSchema } from '@vtb/protocol/messages/report.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { feedId, hasMessage, listMessages } from '../spool.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';

const database = await testDatabase('vault');
let at: TestEnclave;

beforeEach(async () => {
  const tables =
    await database.sql`SELECT string_agg(quote_ident(table_name), ',') AS names FROM information_schema.tables WHERE table_schema = 'public'`;
  await ownerTruncate(tables[0]?.names);
  at = await testEnclave(database.url);
});

async function ownerTruncate(names: string) {
  const { default: postgres } = await import('postgres');
  const owner = postgres(database.ownerUrl, { max: 1, onnotice: () => undefined });
  await owner.unsafe(`TRUNCATE ${names}`);
  await owner.end();
}

const grade = () => gradeOnce({ number: 0 }, at.enclave);
const system = testSystem('a system');
const alarms = async () => (await latestAlarms(50, at.enclave.db)).map((alarm) => alarm.code);
const cursor = async () => (await feedCursor(at.enclave.db)).number;

const resultOf = async (order: string) => {
  const row = await reportOf(order, at.enclave.db);
  if (row === undefined) return undefined;
  const keys = { [at.enclave.signingKey.kid]: publicHalf(at.enclave.signingKey) };
  return (await unseal('report', row.message, reportSchema, keys)).payload;
};

describe('a message that does not hold is put aside and the feed stands still', () => {
  const wrongs: [
    string,
    (message: { number: number; jws: string }) => Promise<{ number: number; jws: string }>,
  ][] = [
    [
      'altered by one character',
      async ({ number, jws }) => ({
        number,
        jws: `${jws.slice(0, 400)}${jws[400] === 'A' ? 'B' : 'A'}${jws.slice(401)}`,
      }),
    ],
    ['truncated', async ({ number, jws }) => ({ number, jws: jws.slice(0, -10) })],
    ['no JWS at all', async ({ number }) => ({ number, jws: 'hello' })],
    [
      'foreign',
      async ({ number }) => {
        const payload = await at.feed.order(system, 'validation');
        return {
          number,
          jws: await seal(
            'order',
            { v: 1, aud: 'vtb-grader', ...at.feed.place(), number, ...payload },
            await newSigningKey(),
          ),
        };
      },
    ],
    [
      'of another kind',
      async ({ number }) => {
        const payload = await at.feed.order(system, 'validation');
        return {
          number,
          jws: await seal(
            'report',
            { v: 1, aud: 'vtb-grader', ...at.feed.place(), number, ...payload },
            at.gatewayKey,
          ),
        };
      },
    ],
    [
      'for another receiver',
      async ({ number }) => {
        const payload = await at.feed.order(system, 'validation');
        return {
          number,
          jws: await seal(
            'order',
            { v: 1, ...at.feed.place(), number, ...payload, aud: 'vtb-gateway' },
            at.gatewayKey,
          ),
        };
      },
    ],
    [
      'with something more in it',
      async ({ number }) => {
        const payload = await at.feed.order(system, 'validation');
        return {
          number,
          jws: await seal(
            'order',
            { v: 1, aud: 'vtb-grader', ...at.feed.place(), number, ...payload, note: 'x' },
            at.gatewayKey,
          ),
        };
      },
    ],
  ];
  test.each(wrongs)('%s', async (_, wrong) => {
    const good = await at.feed.sign('order', await at.feed.order(system, 'validation'));
    await at.feed.arrive(await wrong(good), system.chunks);
    await grade();
    expect(await cursor()).toBe(0);
    expect(await hasMessage('refused', feedId(1), at.enclave.spool)).toBe(true);
    expect(await alarms()).toEqual(['feed.refused']);
    await at.feed.arrive(good, system.chunks);
    await grade();
    expect(await cursor()).toBe(1);
  });
});

describe('the chain', () => {
  test('two swapped messages are both refused in each other’s place', async () => {
    const [one, two] = [
      await at.feed.sign('order', await at.feed.order(system, 'validation')),
      await at.feed.sign('order', await at.feed.order(testSystem('b'), 'validation')),
    ];
    await at.feed.arrive({ number: 1, jws: two.jws }, system.chunks);
    await at.feed.arrive({ number: 2, jws: one.jws });
    await grade();
    expect(await cursor()).toBe(0);
  });

  test('a message left out stops the feed, loudly; nothing after it is taken in until it comes', async () => {
    const [one, two, three] = [
      await at.feed.sign('order', await at.feed.order(system, 'validation')),
      await at.feed.sign('order', await at.feed.order(testSystem('b'), 'validation')),
      await at.feed.sign('order', await at.feed.order(testSystem('c'), 'validation')),
    ];
    await at.feed.arrive(one, system.chunks);
    await at.feed.arrive(three, testSystem('c').chunks);
    const said = { number: 0 };
    await gradeOnce(said, at.enclave);
    await gradeOnce(said, at.enclave);
    expect(await cursor()).toBe(1);
    expect(await alarms()).toEqual(['feed.gap']);
    expect(at.logged.filter((line) => line.includes('feed.gap'))).toHaveLength(1);
    await at.feed.arrive(two, testSystem('b').chunks);
    await grade();
    expect(await cursor()).toBe(3);
  });

  test('a message with a forged predecessor is refused', async () => {
    await at.feed.arrive(
      await at.feed.sign('order', await at.feed.order(system, 'validation')),
      system.chunks,
    );
    await grade();
    const payload = await at.feed.order(testSystem('b'), 'validation');
    await at.feed.arrive({
      number: 2,
      jws: await seal(
        'order',
        { v: 1, aud: 'vtb-grader', number: 2, previous: sha256Hex('else'), ...payload },
        at.gatewayKey,
      ),
    });
    await grade();
    expect(await cursor()).toBe(1);
  });

  test('a second delivery changes nothing; another message under a number taken in is put aside', async () => {
    const payload = await at.feed.order(system, 'validation');
    const one = await at.feed.sign('order', payload);
    await at.feed.arrive(one, system.chunks);
    await grade();
    await at.feed.arrive(one);
    await grade();
    expect(await listMessages('inbox', at.enclave.spool)).toEqual([]);
    expect(await alarms()).toEqual([]);
    const other = await seal(
      'order',
      { v: 1, aud: 'vtb-grader', number: 1, previous: '0'.repeat(64), ...payload, priority: 5 },
      at.gatewayKey,
    );
    await at.feed.arrive({ number: 1, jws: other });
    await grade();
    expect(await alarms()).toEqual(['feed.contradicted']);
    expect((await findOrder(payload.order, at.enclave.db))?.document.priority).toBe(0);
  });

  test('the newest message stays claimed, by which the courier goes on', async () => {
    await at.feed.sendOrder(system, 'validation');
    await at.feed.sendOrder(testSystem('b'), 'validation');
    await grade();
    expect(await listMessages('claimed', at.enclave.spool)).toEqual([feedId(2)]);
  });

  test('two graders at once take each message in once', async () => {
    const orders = [];
    for (const name of ['a', 'b', 'c']) orders.push(await at.feed.sendOrder(testSystem(name), 'validation'));
    await Promise.allSettled([grade(), grade(), grade()]);
    await grade();
    expect(await cursor()).toBe(3);
    for (const order of orders) expect((await findOrder(order.order, at.enclave.db))?.ready).toBe(true);
  });
});

describe('an order with the gateway’s own signature', () => {
  const hiddenSplit = async () => (await at.feed.order(system, 'final')).split;

  test('that names the hidden split for validation is refused, and its report says hidden', async () => {
    const order = await at.feed.sendOrder(system, 'validation', { split: await hiddenSplit() });
    await grade();
    expect(await resultOf(order.order)).toMatchObject({
      hidden: true,
      attachments: [],
      result: { fault: 'ours', cause: 'split' },
    });
    expect(await database.sql`SELECT 1 FROM trials`).toHaveLength(0);
  });

  test.each([
    ['another split', { split: sha256Hex('x') }],
    ['other settings', { settings: sha256Hex('x') }],
    ['an unknown season', { season: 'nowhere' }],
    ['an unknown track', { track: 'nothing' }],
  ])('with %s fails as ours', async (_, changes) => {
    const order = await at.feed.sendOrder(system, 'validation', changes);
    await grade();
    expect((await resultOf(order.order))?.result).toMatchObject({ fault: 'ours', cause: 'split' });
  });

  test('over the cap of finals of its team is refused without a report; another team is not', async () => {
    const refused = [];
    for (const name of ['a', 'b', 'c']) refused.push(await at.feed.sendOrder(testSystem(name), 'final'));
    const other = await at.feed.sendOrder(testSystem('d'), 'final', { team: 'd'.repeat(32) });
    await grade();
    const states = await Promise.all(
      [...refused, other].map(async ({ order }) => (await findOrder(order, at.enclave.db))?.state),
    );
    expect(states).toEqual(['ordered', 'ordered', 'cancelled', 'ordered']);
    expect(await alarms()).toEqual(['order.refuse']);
    expect(await resultOf(refused[2]?.order ?? '')).toBeUndefined();
  });

  test('that grades a final again does not use another one, unless it is another system', async () => {
    const first = await at.feed.sendOrder(system, 'final');
    const again = (changes: Record<string, unknown>, of = system) =>
      at.feed.sendOrder(of, 'final', { submission: first.submission, cause: 'regrade', ...changes });
    const regrade = await again({ gradingNumber: 2 });
    const swapped = await again({ gradingNumber: 3 }, testSystem('another'));
    const replayed = await again({ gradingNumber: 2 });
    await grade();
    const states = await Promise.all(
      [regrade, swapped, replayed].map(async ({ order }) => (await findOrder(order, at.enclave.db))?.state),
    );
    expect(states).toEqual(['ordered', 'cancelled', 'cancelled']);
    expect(await database.sql`SELECT 1 FROM finals`).toHaveLength(1);
  });

  test('whose id was used before changes nothing of the first', async () => {
    const first = await at.feed.sendOrder(system, 'validation');
    await at.feed.sendOrder(testSystem('b'), 'validation', { order: first.order });
    await at.feed.sendOrder(testSystem('c'), 'validation', {
      grading: first.grading,
      order: newId('order', randomBytes(20)),
    });
    await grade();
    expect((await findOrder(first.order, at.enclave.db))?.document.system).toBe(system.digest);
    expect(await alarms()).toEqual(['order.repeated', 'order.repeated']);
    expect(await cursor()).toBe(3);
  });
});
