import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivately } from '@vtb/db/writePrivately.ts';
import { newMaintainerKey, newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf, type SigningKey } from '@vtb/protocol/messages/sealing.ts';

/**
 * Makes the keys of every process of one machine, and each side's pins of the others, where they are missing.
 * What is there stays: an operator may have rotated or added keys.
 */
export async function ensureKeys(dataDir: string): Promise<void> {
  const at = (path: string) => join(dataDir, path);
  const gateway = await ensureKey(at('gateway/keys/signing.json'), newSigningKey);
  await ensureKey(at('gateway/keys/token.json'), newSigningKey);
  await ensureText(at('gateway/keys/pseudonym.key'), () => randomBytes(32).toString('hex'));
  const grader = await ensureKey(at('grader/keys/signing.json'), newSigningKey);
  await ensureText(at('grader/keys/vault.key'), () => randomBytes(32).toString('hex'));
  const courier = await ensureKey(at('courier/keys/courier.json'), newSigningKey);
  const runner = await ensureKey(at('runner/keys/runner.json'), newSigningKey);
  const maintainer = await ensureKey(at('maintainer/maintainer.json'), newMaintainerKey);

  await ensurePinned(at('gateway/trust/grader.jwks.json'), grader);
  await ensurePinned(at('gateway/trust/courier.jwks.json'), courier);
  await ensurePinned(at('grader/trust/gateway.jwks.json'), gateway);
  await ensurePinned(at('grader/trust/runners.jwks.json'), runner);
  const encryption = () => `${JSON.stringify(encryptionHalf(maintainer))}\n`;
  await ensureText(at('gateway/trust/maintainer.jwk.json'), encryption);
  await ensureText(at('grader/trust/maintainer.jwk.json'), encryption);
}

async function ensureKey(path: string, make: () => Promise<SigningKey>): Promise<SigningKey> {
  const found = await readIfThere(path);
  if (found !== undefined) return JSON.parse(found) as SigningKey;
  const key = await make();
  await writePrivately(path, `${JSON.stringify(key)}\n`);
  return key;
}

async function ensureText(path: string, make: () => string): Promise<void> {
  if ((await readIfThere(path)) === undefined) await writePrivately(path, make());
}

async function ensurePinned(path: string, key: SigningKey): Promise<void> {
  const found = await readIfThere(path);
  const { keys } = (found === undefined ? { keys: [] } : JSON.parse(found)) as {
    readonly keys: readonly { kid?: string }[];
  };
  if (keys.some((pinned) => pinned.kid === key.kid)) return;
  await writePrivately(path, `${JSON.stringify({ keys: [...keys, publicHalf(key)] }, null, 2)}\n`);
}

function encryptionHalf({ kid, jwk }: SigningKey): object {
  const { kty, crv, x } = jwk;
  return { kty, crv, x, kid, alg: 'ECDH-ES', use: 'enc' };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
