import { expect, test } from 'vitest';
import { routes } from './app.ts';
import { commit, madeSystem, newContest } from './testing/contest.ts';
import { testGateway } from './testing/testGateway.ts';

const gateway = await testGateway();
const { call, owner } = gateway;

test('somebody without a token is asked for one, as a problem document with the request id', async () => {
  const response = await call(null, 'GET', '/me');
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = await response.json();
  expect(problem).toMatchObject({ code: 'token.missing', status: 401, problems: [] });
  expect(problem.requestId).toBe(response.headers.get('x-request-id'));
});

test('the owner learns who they are', async () => {
  const response = await call(owner.token, 'GET', '/me');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    account: { id: owner.account },
    maintainer: true,
    teams: [],
  });
});

test('the API describes every route of its table', async () => {
  const response = await gateway.app.request('/api/v1/openapi.json');
  const document = await response.json();
  expect(document.openapi).toBe('3.1.0');
  for (const { method, path } of routes) {
    const described = document.paths[`/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
    expect(described, `${method} ${path}`).toBeDefined();
  }
  const page = await (await gateway.app.request('/api')).text();
  expect(page).toContain('/submissions/:id/seal');
  expect(page).not.toMatch(/<script|https?:/);
});

test('health, readiness and public keys answer; metrics only to this machine', async () => {
  expect((await gateway.app.request('/healthz')).status).toBe(200);
  expect((await gateway.app.request('/readyz')).status).toBe(200);
  const { keys } = await (await gateway.app.request('/.well-known/jwks.json')).json();
  expect(keys).toHaveLength(2);
  expect(JSON.stringify(keys)).not.toContain('"d"');
  expect((await gateway.app.request('/metrics')).status).toBe(404);
});

test('an unknown address is a problem document of the one not-found shape, with security headers', async () => {
  const response = await gateway.app.request('/api/v1/nothing');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'notFound', status: 404 });
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('a HEAD lets go of what its GET would have opened: no place among the followers is lost', async () => {
  const { member, run } = await newContest(gateway);
  const final = await commit(gateway, { token: member.token, run, purpose: 'final', system: madeSystem() });
  const path = `/api/v1/submissions/${final.id}/events`;
  for (let time = 0; time < 40; time++)
    expect((await gateway.app.request(path, { method: 'HEAD' })).status).toBe(200);
  const stream = await gateway.app.request(path);
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
});

test('a stored answer with a token is not for another token of the account that may do less', async () => {
  const headers = { 'idempotency-key': 'one-key' };
  const body = { team: null, scopes: ['manage'], label: 'wide', days: 1 };
  expect((await call(owner.token, 'POST', '/tokens', body, headers)).status).toBe(201);
  const narrow = await (
    await call(owner.token, 'POST', '/tokens', { ...body, label: 'narrow' }, { 'idempotency-key': 'two' })
  ).json();
  const replay = await call(narrow.token, 'POST', '/tokens', body, headers);
  expect(replay.status).toBe(409);
  expect(await replay.json()).toMatchObject({ code: 'request.idempotencyReused' });
});
