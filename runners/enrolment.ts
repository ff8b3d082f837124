import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { newId } from '@vtb/protocol/ids.ts';
import type { SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { z } from 'zod';

/** Who a runner is: its enrolment key, whose public half the desk pins, and the id that follows from it. */
export type Enrolment = { readonly key: SigningKey; readonly runner: string };

const keySchema = z.object({
  kid: z.string().min(1),
  jwk: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});

/** Reads the enrolment key. throws Error when the file isn't there or holds no private Ed25519 key. */
export async function readEnrolment(path: string): Promise<Enrolment> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`${path} can't be read; a runner needs its enrolment key there`, { cause });
  });
  const key = keySchema.safeParse(parseJson(text));
  // The parser's own words could hold parts of the key.
  if (!key.success) throw new Error(`${path} holds no private Ed25519 key {kid, jwk}`);
  return { key: key.data, runner: runnerIdOf(key.data.kid) };
}

/** A runner's id is made from its key's, so that a new work folder doesn't make a new runner. */
export function runnerIdOf(kid: string): string {
  return newId('runner', createHash('sha256').update(`vtb-runner\n${kid}`).digest());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
