import type { Db } from '@vtb/db/public/connect.ts';
import { findToken } from '@vtb/db/public/tokens.ts';
import type { Deps } from '../deps.ts';
import { sealAccessToken } from './accessToken.ts';

/** An answer as it may be kept: every `token` text beside a `jti` left out, at any depth. */
export function withoutTokens(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(withoutTokens);
  if (!isRecord(reply)) return reply;
  const hasToken = typeof reply.jti === 'string';
  return Object.fromEntries(
    Object.entries(reply)
      .filter(([name]) => !(hasToken && name === 'token'))
      .map(([name, value]) => [name, withoutTokens(value)]),
  );
}

/** A kept answer with its tokens signed again; only issued tokens have a `jti`. */
export async function resealTokens(reply: unknown, deps: Deps, tx: Db): Promise<unknown> {
  if (Array.isArray(reply)) return Promise.all(reply.map((part) => resealTokens(part, deps, tx)));
  if (!isRecord(reply)) return reply;
  const parts = await Promise.all(
    Object.entries(reply).map(async ([name, value]) => [name, await resealTokens(value, deps, tx)] as const),
  );
  const found = typeof reply.jti === 'string' ? await findToken(reply.jti, tx) : undefined;
  return {
    ...Object.fromEntries(parts),
    ...(found === undefined ? {} : { token: await sealAccessToken(found.token, deps) }),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
