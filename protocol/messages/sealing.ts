/**
 * Theory of operation. Every message that crosses the air gap is a compact JWS (RFC 7515) with EdDSA over
 * canonical JSON. The protected header's `typ` names the kind and the payload's `aud` the receiver, so that no
 * kind passes as another; `kid` picks a key from the receiver's own pinned set and nowhere else. The algorithm
 * comes from our list, never from the token.
 */
import { CompactSign, calculateJwkThumbprint, compactVerify, errors, importJWK, type JWK } from 'jose';
import type { z } from 'zod';
import { canonicalJson } from '../canonicalJson.ts';
import { Refusal } from '../errors.ts';

/** Message kinds and the `typ` each carries. */
export const messageTypes = {
  order: 'vtb-order+jws',
  cancel: 'vtb-cancel+jws',
  checkpoint: 'vtb-checkpoint+jws',
  report: 'vtb-report+jws',
  comparison: 'vtb-comparison+jws',
  notice: 'vtb-notice+jws',
  treeHead: 'vtb-tree-head+jws',
  deletion: 'vtb-deletion+jws',
  courierToken: 'vtb-courier+jwt',
  runnerToken: 'vtb-runner+jwt',
  accessToken: 'at+jwt',
} as const;

export type MessageKind = keyof typeof messageTypes;

/** A private Ed25519 key as JWK with its id. */
export interface SigningKey {
  readonly kid: string;
  readonly jwk: JWK;
}

/** Public keys that a receiver pins, by key id. */
export type TrustedKeys = Readonly<Record<string, JWK>>;

/** The id of a key: its RFC 7638 thumbprint. */
export async function keyId(jwk: JWK): Promise<string> {
  return calculateJwkThumbprint(jwk, 'sha256');
}

/** The public half of a key, fit for pinning and for JWKS. */
export function publicHalf(key: SigningKey): JWK {
  const { kty, crv, x } = key.jwk;
  if (kty === undefined || crv === undefined || x === undefined)
    throw new Error(`key ${key.kid} is not an Ed25519 JWK`);
  return { kty, crv, x, kid: key.kid, alg: 'EdDSA', use: 'sig' };
}

/** Signs a payload as one kind of message. Same key and payload give the same text: Ed25519 is deterministic. */
export async function seal(kind: MessageKind, payload: unknown, key: SigningKey): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(payload));
  return new CompactSign(bytes)
    .setProtectedHeader({ alg: 'EdDSA', typ: messageTypes[kind], kid: key.kid })
    .sign(await importJWK(key.jwk, 'EdDSA'));
}

/**
 * Opens a message: kind, key, signature, then schema.
 *
 * bytesMax  refuses longer texts before anything is parsed.
 * throws    Refusal('message.invalid') naming the first thing that is wrong; never says which key would do.
 */
export async function unseal<T>(
  kind: MessageKind,
  jws: string,
  schema: z.ZodType<T>,
  trusted: TrustedKeys,
  bytesMax = 8 * 1024 * 1024,
): Promise<{ readonly payload: T; readonly kid: string }> {
  if (jws.length > bytesMax)
    throw new Refusal('message.invalid', `a message of ${jws.length} bytes is over ${bytesMax}`);
  const kid = { value: '' };
  let bytes: Uint8Array;
  try {
    const opened = await compactVerify(
      jws,
      async (header) => {
        if (header.typ !== messageTypes[kind])
          throw new Refusal('message.invalid', `expected typ ${messageTypes[kind]}`);
        const jwk =
          header.kid !== undefined && Object.hasOwn(trusted, header.kid) ? trusted[header.kid] : undefined;
        if (jwk === undefined)
          throw new Refusal('message.invalid', 'signed by a key that is not trusted here');
        kid.value = header.kid ?? '';
        return importJWK(jwk, 'EdDSA').catch(() => {
          throw new Refusal('message.invalid', 'the key it names is not an Ed25519 key');
        });
      },
      { algorithms: ['EdDSA'] },
    );
    bytes = opened.payload;
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    if (cause instanceof errors.JOSEError || cause instanceof TypeError)
      throw new Refusal('message.invalid', 'the signature does not hold');
    throw cause;
  }
  return { payload: parsePayload(kind, bytes, schema), kid: kid.value };
}

function parsePayload<T>(kind: MessageKind, bytes: Uint8Array, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('message.invalid', `the ${kind} is not JSON`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => ({
    code: issue.code ?? 'invalid',
    at: `/${issue.path.join('/')}`,
    message: issue.message,
  }));
  throw new Refusal('message.invalid', `the ${kind} does not follow its schema`, problems);
}
