import { findToken } from '@vtb/db/public/tokens.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { publicHalf, unseal } from '@vtb/protocol/messages/sealing.ts';
import { tokenDaysMax } from '@vtb/protocol/wire/identity.ts';
import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { accessClaimsSchema, knownScopes } from './accessToken.ts';
import type { Caller, GraderCaller, Person } from './caller.ts';

/** A token is a few hundred bytes; nothing longer is looked at. */
const tokenBytesMax = 4_096;

/**
 * Who sends a request, by its Authorization header alone.
 *
 * An expired or revoked access token still tells who committed an upload, so it gives a person who has `ended`; everything
 * else about it must hold.
 *
 * throws  Refusal('token.invalid') in one wording for every fault, so that nothing is learned by trying.
 */
export async function identify(
  input: { readonly authorization: string | undefined; readonly at: Date },
  deps: Deps,
): Promise<Caller> {
  if (input.authorization === undefined) return { kind: 'visitor' };
  const token = /^Bearer ([\w.-]+)$/i.exec(input.authorization)?.[1];
  if (token === undefined || token.length > tokenBytesMax) throw invalid();
  try {
    return typeOf(token) === 'vtb-courier+jwt'
      ? await identifyCourier(token, input.at, deps)
      : await identifyPerson(token, input.at, deps);
  } catch (cause) {
    if (cause instanceof Refusal) throw invalid();
    throw cause;
  }
}

async function identifyPerson(token: string, at: Date, deps: Deps): Promise<Person> {
  const { kid } = deps.keys.token;
  const { payload } = await unseal(
    'accessToken',
    token,
    accessClaimsSchema,
    { [kid]: publicHalf(deps.keys.token) },
    tokenBytesMax,
  );
  const found = await findToken(payload.jti, deps.db);
  const nowSeconds = at.getTime() / 1000;
  if (found === undefined || found.token.account !== payload.sub) throw invalid();
  if (payload.exp - payload.iat > tokenDaysMax * 86_400 || payload.iat > nowSeconds + clockSkewSeconds)
    throw invalid();
  const { account, token: row } = found;
  return {
    kind: 'person',
    account: account.id,
    name: account.name,
    maintainer: account.maintainer && row.team === null,
    jti: row.jti,
    team: row.team,
    // The row is ours and can't be lengthened by whoever holds the text.
    scopes: knownScopes(row.scopes),
    ended: row.revokedAt !== null || payload.exp <= nowSeconds,
  };
}

const clockSkewSeconds = 60;
const courierSecondsMax = 300;

const courierClaimsSchema = z.strictObject({
  aud: z.literal('vtb-airlock'),
  iss: z.string().max(100).optional(),
  sub: z.string().max(100).optional(),
  jti: z.string().max(100).optional(),
  iat: z.int(),
  exp: z.int(),
});

async function identifyCourier(token: string, at: Date, deps: Deps): Promise<GraderCaller> {
  const { payload, kid } = await unseal(
    'courierToken',
    token,
    courierClaimsSchema,
    deps.keys.courier,
    tokenBytesMax,
  );
  const nowSeconds = at.getTime() / 1000;
  const lives =
    payload.exp - payload.iat <= courierSecondsMax &&
    payload.iat <= nowSeconds + clockSkewSeconds &&
    payload.exp > nowSeconds;
  if (!lives) throw invalid();
  return { kind: 'grader', kid };
}

function typeOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    throw invalid();
  }
}

function invalid(): Refusal {
  return new Refusal('token.invalid', 'the token is not valid here');
}
