import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { connectVault } from '@vtb/db/vault/connect.ts';
import { migrateVault } from '@vtb/db/vault/migrate.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { loadSeasons } from '@vtb/seasons/load.ts';
import { z } from 'zod';
import { newBell } from './bell.ts';
import type { GraderConfig } from './config.ts';
import type { Enclave } from './enclave.ts';
import type { Log } from './log.ts';
import { prepareSpool } from './spool.ts';
import { readKeys } from './trustedKeys.ts';
import { openVaultFolder } from './vault/splitVault.ts';

const signingKeySchema = z.object({
  kid: z.string().min(1),
  jwk: z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});
const maintainerKeySchema = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('X25519'), x: z.string() });

/** Puts together what the grader works with: database migrated, seasons checked, keys read, folders made. */
export async function openEnclave(config: GraderConfig, log: Log): Promise<Enclave & AsyncDisposable> {
  const { paths } = config;
  const [signingKey, vaultKey, gatewayKeys, maintainer, seasons] = await Promise.all([
    readSigningKey(paths.signingKey),
    readVaultKey(paths.vaultKey),
    readKeys(paths.gatewayKeys),
    readFile(paths.maintainerKey, 'utf8').then((text) => maintainerKeySchema.parse(JSON.parse(text))),
    loadSeasons(config.seasonsDir, config.seasons),
  ]);
  await migrateVault({ ownerUrl: config.vaultOwnerUrl, url: config.vaultUrl });
  const database = connectVault({ url: config.vaultUrl, connectionsMax: config.connectionsMax });
  await mkdir(paths.systems, { recursive: true, mode: 0o700 });
  return {
    db: database.db,
    isVaultEmbedded: config.isVaultEmbedded,
    vault: await openVaultFolder({ db: database.db, folder: paths.vault, key: vaultKey }),
    spool: await prepareSpool(paths.spool),
    systems: paths.systems,
    seasons: new Map(seasons.map((loaded) => [loaded.season.id, loaded])),
    signingKey,
    gatewayKeys,
    maintainerKey: {
      kty: maintainer.kty,
      crv: maintainer.crv,
      x: maintainer.x,
      ...(typeof maintainer.kid === 'string' ? { kid: maintainer.kid } : {}),
    },
    now: () => new Date(),
    newId: (kind) => newId(kind, randomBytes(20)),
    log,
    bell: newBell(),
    columns: new Map(),
    limits: config.limits,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function readSigningKey(path: string): Promise<SigningKey> {
  return signingKeySchema.parse(JSON.parse(await readFile(path, 'utf8')));
}

async function readVaultKey(path: string): Promise<Uint8Array> {
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${path} holds no 32 bytes in hex`);
  return Buffer.from(text, 'hex');
}
