import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningKey, TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import { z } from 'zod';
import type { GatewayKeys } from './keys.ts';

const jwkSchema = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() });
const signingKeySchema = z.object({ kid: z.string().min(1), jwk: jwkSchema.extend({ d: z.string() }) });
const jwksSchema = z.object({ keys: z.array(jwkSchema.extend({ kid: z.string().min(1) })).min(1) });

/** Reads the gateway's own keys and those it pins, from its folder. throws Error naming the file that is wrong. */
export async function loadKeys(folder: string): Promise<GatewayKeys> {
  const at = (...path: string[]) => join(folder, ...path);
  return {
    signing: await readKey(at('keys', 'signing.json')),
    token: await readKey(at('keys', 'token.json')),
    pseudonym: await readHexKey(at('keys', 'pseudonym.key')),
    grader: await readTrusted(at('trust', 'grader.jwks.json')),
    courier: await readTrusted(at('trust', 'courier.jwks.json')),
  };
}

async function readKey(path: string): Promise<SigningKey> {
  return parse(path, signingKeySchema, JSON.parse(await readFile(path, 'utf8')));
}

async function readTrusted(path: string): Promise<TrustedKeys> {
  const { keys } = parse(path, jwksSchema, JSON.parse(await readFile(path, 'utf8')));
  // Only public members go on, whatever the file holds.
  return Object.fromEntries(
    keys.map(({ kid, kty, crv, x }) => [kid, { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' }]),
  );
}

async function readHexKey(path: string): Promise<Uint8Array> {
  const text = parse(
    path,
    z.string().regex(/^[0-9a-f]{64}$/, 'must be 32 bytes as hexadecimal digits'),
    (await readFile(path, 'utf8')).trim(),
  );
  return Buffer.from(text, 'hex');
}

function parse<T>(path: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(
    `${path}: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
  );
}
