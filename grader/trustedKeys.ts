import { readFile, stat } from 'node:fs/promises';
import type { TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import { z } from 'zod';

const jwksSchema = z.object({
  keys: z
    .array(
      z.looseObject({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string().min(1),
      }),
    )
    .max(1000),
});

/** Reads a JWKS file of Ed25519 keys into the form that a receiver pins. */
export async function readKeys(path: string): Promise<TrustedKeys> {
  const { keys } = jwksSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  return Object.fromEntries(keys.map(({ kty, crv, x, kid }) => [kid, { kty, crv, x, kid }]));
}

/** The keys of a JWKS file as it is now: read again when the file changed, so that enrolling a runner needs no restart. */
export function watchedKeys(path: string): () => Promise<TrustedKeys> {
  let read: { readonly mark: string; readonly keys: TrustedKeys } | undefined;
  return async () => {
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined) return {};
    const mark = `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
    if (read?.mark !== mark) read = { mark, keys: await readKeys(path) };
    return read.keys;
  };
}
