import { expect, test } from 'vitest';
import { commit, madeSystem, newContest, uploadAndSeal } from '../testing/contest.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const { call } = gateway;

/** Reads a stream until it has shown as many events. */
async function readEvents(response: Response, count: number): Promise<{ id: number; state: string }[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const events = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  while (events().length < count) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  return events();
}

test('a follower sees what was and what comes, and resumes after the last event it has', async () => {
  const { member, run } = await newContest(gateway);
  const system = madeSystem();
  const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
  const live = readEvents(await call(member.token, 'GET', `/submissions/${id}/events`), 3);
  await uploadAndSeal(gateway, { token: member.token, submission: id, system });
  const seen = await live;
  expect(seen.map(({ state }) => state)).toEqual(['committed', 'uploading', 'checking']);
  const resumed = await call(member.token, 'GET', `/submissions/${id}/events`, undefined, {
    'last-event-id': String(seen[1]?.id),
  });
  expect((await readEvents(resumed, 1)).map(({ state }) => state)).toEqual(['checking']);
});

test('one person holds a bounded number of streams, and gets new ones when old ones are closed', async () => {
  const { member, run } = await newContest(gateway);
  const { id } = await commit(gateway, {
    token: member.token,
    run,
    purpose: 'validation',
    system: madeSystem(),
  });
  const open = () => call(member.token, 'GET', `/submissions/${id}/events`);
  const streams = await Promise.all(Array.from({ length: 32 }, open));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  expect((await open()).status).toBe(429);
  for (const stream of streams) await stream.body?.cancel();
  expect((await open()).status).toBe(200);
});

test('where the queue is open anybody may follow a final, and sees states alone; never a validation try', async () => {
  const { member, run } = await newContest(gateway);
  const final = await commit(gateway, { token: member.token, run, purpose: 'final', system: madeSystem() });
  const open = await call(null, 'GET', `/submissions/${final.id}/events`);
  expect(open.status).toBe(200);
  const [event] = await readEvents(open, 1);
  expect(event).toMatchObject({ state: 'committed', reason: null, progress: null });
  const other = await newContest(gateway);
  const tryOut = {
    token: other.member.token,
    run: other.run,
    purpose: 'validation',
    system: madeSystem(),
  } as const;
  const { id } = await commit(gateway, tryOut);
  expect((await call(null, 'GET', `/submissions/${id}/events`)).status).toBe(404);
});
