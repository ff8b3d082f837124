import type { Audit, Queue } from '@vtb/protocol/wire/admin.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);

beforeAll(async () => {
  await enclave.holdSplits();
});

const admin = (path: string) => gateway.call(gateway.owner.token, 'GET', path);

async function read<T>(path: string): Promise<T> {
  const response = await admin(path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

describe('a re-grade', () => {
  const regrade = async (token: string | null, id: string, body: unknown = { reason: 'a second look' }) =>
    (await gateway.call(token, 'POST', `/admin/submissions/${id}/regrade`, body)).status;

  it('is for maintainers: strangers do not see the submission, its own team may not', async () => {
    const { id, team } = await enclave.queued();
    const [stranger, member] = [await gateway.person({}), await gateway.person({ team, role: 'owner' })];
    expect(await regrade(null, id)).toBe(401);
    expect(await regrade(stranger.token, id)).toBe(404);
    expect(await regrade(member.token, id)).toBe(403);
    expect(await regrade(await gateway.courierToken(), id)).toBe(404);
  });

  it('needs a reason, is refused while a grading is open, and leaves its reason in the audit log', async () => {
    const { id } = await enclave.queued({ purpose: 'validation' });
    expect(await regrade(gateway.owner.token, id)).toBe(409);
    await enclave.deliver(await enclave.report(await enclave.lastOrder(id), scored(50, 'validation')));
    expect(await regrade(gateway.owner.token, id, { reason: ' ' })).toBe(400);
    expect(await regrade(gateway.owner.token, id, { reason: 'the verifier was mended' })).toBe(201);
    const { grading } = await enclave.lastOrder(id);
    const { lines } = await read<Audit>(`/admin/audit?subject=${grading}`);
    expect(lines).toMatchObject([
      { act: 'grading.ordered', actor: gateway.owner.account, reason: 'the verifier was mended' },
    ]);
  });

  it('sent twice with one key orders once', async () => {
    const { id } = await enclave.queued({ purpose: 'validation' });
    await enclave.deliver(await enclave.report(await enclave.lastOrder(id), scored(50, 'validation')));
    const send = async () => {
      const headers = { 'idempotency-key': `once-${id}` };
      const response = await gateway.call(
        gateway.owner.token,
        'POST',
        `/admin/submissions/${id}/regrade`,
        { reason: 'x' },
        headers,
      );
      return response.json();
    };
    expect(await send()).toEqual(await send());
    expect((await enclave.lastOrder(id)).gradingNumber).toBe(2);
  });
});

it('the audit log is read page by page, newest first, and no line is left out or shown twice', async () => {
  const all: number[] = [];
  for (let before: number | null = null; ; ) {
    const page: Audit = await read<Audit>(
      `/admin/audit?limit=5${before === null ? '' : `&before=${before}`}`,
    );
    all.push(...page.lines.map(({ id }) => id));
    before = page.next;
    if (before === null) break;
  }
  const whole = (await read<Audit>('/admin/audit?limit=500')).lines.map(({ id }) => id);
  expect(all).toEqual(whole);
  expect(all).toEqual([...new Set(all)].sort((a, b) => b - a));
});

it('the queue lists finals before validations, shares between teams, and waits in nominal minutes', async () => {
  const first = await enclave.queued({ purpose: 'validation' });
  const mine = await enclave.queued();
  const mineAgain = await enclave.queued({ team: mine.team });
  const theirs = await enclave.queued();
  const { orders } = await read<Queue>('/admin/queue');
  const place = (id: string) => orders.findIndex(({ submission }) => submission === id);
  const places = [mine, theirs, mineAgain, first].map(({ id }) => place(id));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  const waiting = orders.filter(({ state }) => state === 'waiting');
  expect(waiting.map(({ position }) => position)).toEqual(waiting.map((_, index) => index + 1));
  const waits = waiting.map(({ expectedWaitMinutes }) => expectedWaitMinutes ?? -1);
  expect(waits[0]).toBe(0);
  expect((waits[1] ?? 0) - (waits[0] ?? 0)).toBeCloseTo(200 * 4 * 0.01);
});

it.each(['/admin/queue', '/admin/audit'])('%s is for maintainers alone', async (path) => {
  const { token } = await gateway.person({});
  expect((await gateway.call(null, 'GET', path)).status).toBe(401);
  expect((await gateway.call(token, 'GET', path)).status).toBe(403);
});
