import { expect, test } from 'vitest';
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
  expect(await response.json()).toMatchObject({ account: { id: owner.account }, maintainer: true, teams: [] });
});
