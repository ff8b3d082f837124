import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectPublic } from '@vtb/db/public/connect.ts';
import { upsertSeason } from '@vtb/db/public/seasonRows.ts';
import { addAccount, addMember as insertMember } from '@vtb/db/public/teams.ts';
import { type TestDatabase, testDatabase } from '@vtb/db/testDatabase.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf, type SigningKey, seal } from '@vtb/protocol/messages/sealing.ts';
import type { Scope } from '@vtb/protocol/wire/identity.ts';
import { loadSeasons } from '@vtb/seasons/load.ts';
import { afterAll } from 'vitest';
import { grantToken } from '../actions/issueToken.ts';
import { openDiskStore } from '../chunks/disk.ts';
import { intakeDefaults, openIntake } from '../chunks/intake.ts';
import { createApp } from '../createApp.ts';
import type { Deps } from '../deps.ts';
import { newEventHub } from '../events/hub.ts';
import { listen } from '../events/listen.ts';

/** The real app on a real database of the calling test file's own, with a clock that the test sets. */
export interface TestGateway {
  readonly app: ReturnType<typeof createApp>;
  readonly deps: Deps;
  readonly database: TestDatabase;
  readonly clock: { at: Date };
  readonly grader: SigningKey;
  readonly courier: SigningKey;
  /** The owner of the instance: a maintainer with a token of all scopes. */
  readonly owner: TestPerson;
  /** Log lines so far. */
  readonly lines: string[];
  /** A request to /api/v1; `token` null sends none; a body is sent as JSON, with a new Idempotency-Key on POST. */
  call(
    token: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** An account with a token, outside of any team unless said. */
  person(wanted: {
    readonly maintainer?: boolean;
    readonly team?: string;
    readonly role?: 'owner' | 'member';
    readonly scopes?: readonly Scope[];
  }): Promise<TestPerson>;
  /** A fresh airlock token of the courier. */
  courierToken(): Promise<string>;
}

/** Somebody with a token. */
export interface TestPerson {
  readonly account: string;
  readonly token: string;
  readonly jti: string;
}

const allScopes: readonly Scope[] = ['submit', 'read', 'manage'];

/** Starts it; everything is closed after the file's tests. `seasons` default to the pocket season. */
export async function testGateway(seasonIds: readonly string[] = ['pocket']): Promise<TestGateway> {
  const database = await testDatabase('public');
  const pool = connectPublic({ url: database.url, connectionsMax: 24 });
  const root = await mkdtemp(join(tmpdir(), 'vtb-gateway-'));
  const stopping = new AbortController();
  const intake = openIntake(intakeDefaults);
  const clock = { at: new Date('2026-12-02T12:00:00.000Z') };
  const lines: string[] = [];
  const [signing, token, grader, courier] = await Promise.all([
    newSigningKey(),
    newSigningKey(),
    newSigningKey(),
    newSigningKey(),
  ]);
  const seasons = await loadSeasons(fileURLToPath(new URL('../../seasons', import.meta.url)), seasonIds);
  const deps: Deps = {
    db: pool.db,
    sql: pool.sql,
    now: () => clock.at,
    random: (count) => randomBytes(count),
    chunks: await openDiskStore({ root, freeBytesMin: 0 }, { intake }),
    keys: {
      signing,
      token,
      pseudonym: randomBytes(32),
      grader: { [grader.kid]: publicHalf(grader) },
      courier: { [courier.kid]: publicHalf(courier) },
    },
    seasons: new Map(seasons.map((loaded) => [loaded.season.id, loaded])),
    hub: newEventHub(),
    stopping: stopping.signal,
    log: (event, facts) => lines.push(JSON.stringify({ event, ...facts })),
  };
  for (const { season, digest } of seasons)
    await upsertSeason({ id: season.id, definition: digest, document: season, at: clock.at }, pool.db);
  const unlisten = await listen(() => {}, deps);
  afterAll(async () => {
    stopping.abort();
    await unlisten();
    await pool[Symbol.asyncDispose]();
    await intake[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const app = createApp(deps);
  const person: TestGateway['person'] = async ({
    maintainer = false,
    team,
    role = 'member',
    scopes = allScopes,
  }) => {
    const account = newId('account', deps.random(20));
    await addAccount(
      { id: account, name: `person ${account.slice(-4)}`, maintainer, createdAt: clock.at },
      pool.db,
    );
    if (team !== undefined) await insertMember({ team, account, role, since: clock.at }, pool.db);
    const issued = await grantToken(
      { account, actor: account, team: null, scopes, label: 'test', days: 30, at: clock.at },
      deps,
      pool.db,
    );
    return { account, token: issued.token, jti: issued.jti };
  };
  return {
    app,
    deps,
    database,
    clock,
    grader,
    courier,
    lines,
    person,
    owner: await person({ maintainer: true }),
    call: async (bearer, method, path, body, headers = {}) =>
      app.request(`/api/v1${path}`, {
        method,
        headers: {
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(method === 'POST' ? { 'idempotency-key': randomBytes(12).toString('hex') } : {}),
          ...(body === undefined || body instanceof Uint8Array ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
      }),
    courierToken: async () => {
      const iat = Math.floor(clock.at.getTime() / 1000);
      return seal('courierToken', { aud: 'vtb-airlock', iat, exp: iat + 120 }, courier);
    },
  };
}
