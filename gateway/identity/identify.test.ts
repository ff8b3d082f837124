import { createHmac } from 'node:crypto';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf, seal } from '@vtb/protocol/messages/sealing.ts';
import { importJWK, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const { call, deps, clock, person } = gateway;
const { token: key } = deps.keys;
const foreign = await newSigningKey();

const now = () => Math.floor(clock.at.getTime() / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Claims of a good token of a real person, some of them changed. */
async function claims(changed: Readonly<Record<string, unknown>> = {}) {
  const { account, jti } = await person({});
  return {
    iss: 'vtb',
    aud: 'vtb-api',
    sub: account,
    jti,
    iat: now(),
    exp: now() + 3_600,
    scope: 'submit read manage',
    ...changed,
  };
}

async function codeFor(token: string): Promise<string> {
  const response = await call(token, 'GET', '/me');
  return response.status === 200 ? 'let in' : (await response.json()).code;
}

test('a token of ours lets its person in', async () => {
  expect(await codeFor(await seal('accessToken', await claims(), key))).toBe('let in');
});

test('an unsigned token (alg none) is refused', async () => {
  const body = encode(await claims());
  for (const alg of ['none', 'None', 'NONE']) {
    const header = encode({ alg, typ: 'at+jwt', kid: key.kid });
    expect(await codeFor(`${header}.${body}.`)).toBe('token.invalid');
    expect(await codeFor(`${header}.${body}.AAAA`)).toBe('token.invalid');
  }
});

test('our public key used as a shared secret (HS256) is refused', async () => {
  const header = encode({ alg: 'HS256', typ: 'at+jwt', kid: key.kid });
  const body = encode(await claims());
  for (const secret of [
    JSON.stringify(publicHalf(key)),
    key.jwk.x ?? '',
    Buffer.from(key.jwk.x ?? '', 'base64url'),
  ]) {
    const signature = createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url');
    expect(await codeFor(`${header}.${body}.${signature}`)).toBe('token.invalid');
  }
});

test('a foreign key is refused, whether it names itself, us, or brings its own JWK or address', async () => {
  const signed = async (header: Readonly<Record<string, unknown>>) =>
    new SignJWT(await claims())
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...header })
      .sign(await importJWK(foreign.jwk, 'EdDSA'));
  expect(await codeFor(await signed({ kid: foreign.kid }))).toBe('token.invalid');
  expect(await codeFor(await signed({ kid: key.kid }))).toBe('token.invalid');
  expect(await codeFor(await signed({ jwk: publicHalf(foreign), kid: foreign.kid }))).toBe('token.invalid');
  expect(await codeFor(await signed({ jku: 'http://127.0.0.1:1/jwks.json', kid: foreign.kid }))).toBe(
    'token.invalid',
  );
  expect(await codeFor(await signed({ kid: '__proto__' }))).toBe('token.invalid');
  expect(await codeFor(await signed({}))).toBe('token.invalid');
});

test.each([
  ['another issuer', { iss: 'elsewhere' }],
  ['another audience', { aud: 'vtb-airlock' }],
  ['a jti that was never issued', { jti: 'never' }],
  ['another account’s jti', { sub: 'acc_aaaaaaaaaaaaaaaaaaaa' }],
  ['a life of more than 90 days', { exp: 9_999_999_999 }],
  ['an issue in the future', { iat: 4_000_000_000, exp: 4_000_003_600 }],
  ['an additional claim', { maintainer: true }],
])('our own key over %s is refused', async (_what, changed) => {
  expect(await codeFor(await seal('accessToken', await claims(changed), key))).toBe('token.invalid');
});

test('an expired token is refused', async () => {
  expect(
    await codeFor(await seal('accessToken', await claims({ iat: now() - 3_600, exp: now() }), key)),
  ).toBe('token.invalid');
});

test('a signed message of another kind is no access token, and an access token no airlock token', async () => {
  expect(await codeFor(await seal('order', await claims(), key))).toBe('token.invalid');
  const asCourier = await seal('courierToken', { aud: 'vtb-airlock', iat: now(), exp: now() + 60 }, key);
  expect((await call(asCourier, 'GET', '/airlock/feed')).status).toBe(401);
  const airlock = await gateway.courierToken();
  expect((await call(airlock, 'GET', '/airlock/feed')).status).toBe(200);
  expect(await codeFor(airlock)).toBe('role.forbidden');
});

test('an airlock token that lives longer than five minutes or has expired is refused', async () => {
  for (const [iat, exp] of [
    [now(), now() + 301],
    [now() - 120, now()],
    [now() + 120, now() + 180],
  ] as const) {
    const token = await seal('courierToken', { aud: 'vtb-airlock', iat, exp }, gateway.courier);
    expect((await call(token, 'GET', '/airlock/feed')).status).toBe(401);
  }
});

test('scopes written into the token do not widen what was issued', async () => {
  const { account, jti } = await person({ scopes: ['read'] });
  const token = await seal('accessToken', { ...(await claims()), sub: account, jti }, key);
  expect(
    (await call(token, 'POST', '/tokens', { team: null, scopes: ['read'], label: 'x', days: 1 })).status,
  ).toBe(403);
});

test('no answer tells which check failed', async () => {
  const problems = new Set<string>();
  for (const token of [
    'x',
    'a.b.c',
    await seal('accessToken', await claims({ iss: 'x' }), key),
    await seal('accessToken', await claims(), foreign),
  ]) {
    const { detail, code } = await (await call(token, 'GET', '/me')).json();
    problems.add(`${code} ${detail}`);
  }
  expect(problems.size).toBe(1);
});

test('a token gives no token with more scopes than its own, and none for a team of others', async () => {
  const someone = await person({ scopes: ['read', 'manage'] });
  const wider = await call(someone.token, 'POST', '/tokens', {
    team: null,
    scopes: ['submit'],
    label: 'x',
    days: 1,
  });
  expect(await wider.json()).toMatchObject({ code: 'token.scope' });
  const elsewhere = await call(someone.token, 'POST', '/tokens', {
    team: 'team_zzzzzzzzzzzzzzzzzzzz',
    scopes: ['read'],
    label: 'x',
    days: 1,
  });
  expect(await elsewhere.json()).toMatchObject({ code: 'notFound' });
});

test('a maintainer’s token that is bound to a team maintains nothing', async () => {
  const boss = await person({ maintainer: true });
  const team = (await (await call(boss.token, 'POST', '/teams', { name: 'Bound' })).json()).id;
  const bound = await (
    await call(boss.token, 'POST', '/tokens', {
      team,
      scopes: ['submit', 'read', 'manage'],
      label: 'ci',
      days: 1,
    })
  ).json();
  expect((await call(bound.token, 'GET', '/admin/queue')).status).toBe(403);
  expect((await (await call(bound.token, 'GET', '/me')).json()).maintainer).toBe(false);
});

test('the token’s text is nowhere in the database', async () => {
  const boss = await person({ maintainer: true });
  const issued = await (
    await call(boss.token, 'POST', '/tokens', { team: null, scopes: ['read'], label: 'x', days: 1 })
  ).json();
  const signature = issued.token.split('.')[2];
  for (const { table } of await deps.sql<
    { table: string }[]
  >`SELECT tablename AS table FROM pg_tables WHERE schemaname = 'public'`) {
    const rows = await deps.sql`SELECT t::text AS row FROM ${deps.sql(table)} t`;
    expect(
      rows.filter(({ row }) => row.includes(signature)),
      table,
    ).toEqual([]);
  }
});
