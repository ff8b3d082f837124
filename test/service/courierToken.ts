import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageTypes, type SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { importJWK, SignJWT } from 'jose';

/** A token as the courier signs them, for the airlock. `key` signs; by default the service's own courier. */
export async function courierToken(dataDir: string, key?: SigningKey): Promise<string> {
  const signing = key ?? (await readSigningKey(join(dataDir, 'courier/keys/courier.json')));
  return new SignJWT()
    .setProtectedHeader({ alg: 'EdDSA', typ: messageTypes.courierToken, kid: signing.kid })
    .setAudience('vtb-airlock')
    .setSubject('courier')
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('2m')
    .sign(await importJWK(signing.jwk, 'EdDSA'));
}

/** A private key of the service under test. */
export async function readSigningKey(path: string): Promise<SigningKey> {
  return JSON.parse(await readFile(path, 'utf8'));
}
