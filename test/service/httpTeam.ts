import { randomUUID } from 'node:crypto';
import { issuedTokenSchema } from '@vtb/protocol/wire/identity.ts';
import { teamSchema } from '@vtb/protocol/wire/teams.ts';
import type { z } from 'zod';

/** A team that calls the public door as any program may. */
export interface HttpTeam {
  readonly id: string;
  readonly token: string;
  readonly post: <T>(path: string, body: unknown, schema: z.ZodType<T>) => Promise<T>;
  readonly get: <T>(path: string, schema: z.ZodType<T>) => Promise<T>;
}

/** A new team of the owner's. */
export async function newHttpTeam(
  name: string,
  service: { readonly url: string; readonly ownerToken: string },
): Promise<HttpTeam> {
  const owner = callsWith(service.ownerToken, service.url);
  const { id } = await owner.post('/teams', { name }, teamSchema);
  const wanted = { team: id, scopes: ['submit', 'read'], label: name, days: 1 };
  const { token } = await owner.post('/tokens', wanted, issuedTokenSchema);
  return { id, token, ...callsWith(token, service.url) };
}

function callsWith(token: string, url: string): Pick<HttpTeam, 'get' | 'post'> {
  const call = async <T>(path: string, init: RequestInit, schema: z.ZodType<T>): Promise<T> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const signal = AbortSignal.timeout(60_000);
    const answer = await fetch(`${url}/api/v1${path}`, { ...init, headers, signal });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return schema.parse(await answer.json());
  };
  return {
    post: (path, body, schema) => call(path, { method: 'POST', body: JSON.stringify(body) }, schema),
    get: (path, schema) => call(path, {}, schema),
  };
}
