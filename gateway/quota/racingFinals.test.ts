import { expect, test } from 'vitest';
import { createApp } from '../createApp.ts';
import type { Deps } from '../deps.ts';
import { inspectWaiting } from '../inspection/inspector.ts';
import { madeSystem, newContest, newRun } from '../testing/contest.ts';
import { pocketSystem } from '../testing/pocketSystem.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const pocket = gateway.deps.seasons.get('pocket');
if (pocket === undefined) throw new Error('no pocket season');
const season = { ...pocket.season, quotas: { finalsMax: 3, failedTriesMax: 1, validationTriesMax: 2 } };
const deps: Deps = { ...gateway.deps, seasons: new Map([['pocket', { ...pocket, season }]]) };
const app = createApp(deps);

async function post(token: string, path: string, body: unknown): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  };
  return app.request(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('20 racing finals of one team on one track commit no more than the cap, over all of its entries', async () => {
  const { member, team } = await newContest(gateway);
  const runs: string[] = [];
  for (let index = 0; index < 20; index++) {
    const entry = await (
      await post(member.token, '/entries', { team, season: 'pocket', agent: `A${index}`, agentHarness: null })
    ).json();
    runs.push(await newRun(gateway, member, entry.id));
  }
  const answers = await Promise.all(
    runs.map((run) =>
      post(member.token, `/runs/${run}/submissions`, { purpose: 'final', manifest: madeSystem().manifest }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = await Promise.all(
    answers.filter(({ status }) => status !== 201).map((answer) => answer.json()),
  );
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['quota.finals']));
});

test('validation tries that were all taken between commit and inspection refuse the rest, and never more than the cap is reserved', async () => {
  const { member, run } = await newContest(gateway);
  const system = await pocketSystem();
  const ids: string[] = [];
  for (let index = 0; index < 4; index++) {
    const { id } = await (
      await post(member.token, `/runs/${run}/submissions`, {
        purpose: 'validation',
        manifest: system.manifest,
      })
    ).json();
    for (const { sha256, bytes } of index === 0 ? system.chunks : [])
      await gateway.call(member.token, 'PUT', `/submissions/${id}/chunks/${sha256}`, bytes);
    await gateway.call(member.token, 'POST', `/submissions/${id}/seal`);
    ids.push(id);
  }
  const signal = new AbortController().signal;
  await Promise.all([
    inspectWaiting(deps, signal),
    inspectWaiting(deps, signal),
    inspectWaiting(deps, signal),
  ]);
  const found = await Promise.all(
    ids.map(async (id) => (await gateway.call(member.token, 'GET', `/submissions/${id}`)).json()),
  );
  expect(found.map(({ state }) => state).sort()).toEqual(['queued', 'queued', 'refused', 'refused']);
  expect(found.find(({ state }) => state === 'refused').problems).toMatchObject([
    { code: 'quota.validation' },
  ]);
  const next = await post(member.token, `/runs/${run}/submissions`, {
    purpose: 'validation',
    manifest: madeSystem().manifest,
  });
  expect(await next.json()).toMatchObject({ code: 'quota.validation' });
});

test('failed tries have their own cap', async () => {
  const { member, run } = await newContest(gateway);
  const final = () =>
    post(member.token, `/runs/${run}/submissions`, { purpose: 'final', manifest: madeSystem().manifest });
  const { id } = await (await final()).json();
  await post(member.token, `/submissions/${id}/withdraw`, { reason: 'wrong' });
  expect(await (await final()).json()).toMatchObject({ code: 'quota.failedTries' });
});
