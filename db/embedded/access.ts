import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { writePrivately } from '../writePrivately.ts';

/** The roles of the embedded server. No role of one database can connect to the other. */
export const roles = {
  superuser: 'vtb_super',
  publicOwner: 'vtb_public_owner',
  publicApp: 'vtb_public_app',
  publicRead: 'vtb_public_read',
  vaultOwner: 'vtb_vault_owner',
  vaultApp: 'vtb_vault_app',
} as const;

export type RoleKey = keyof typeof roles;

/** How this data folder's server is reached. Kept 0600 in the data folder, for its owner alone. */
export interface Access {
  readonly port: number;
  readonly passwords: Readonly<Record<RoleKey, string>>;
}

/** Reads the folder's access, or makes one with random passwords and a port that is free now. */
export async function loadAccess(dataDir: string): Promise<Access> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'access.json'), 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const password = () => randomBytes(24).toString('base64url');
  const passwords = {
    superuser: password(),
    publicOwner: password(),
    publicApp: password(),
    publicRead: password(),
    vaultOwner: password(),
    vaultApp: password(),
  };
  return saveAccess(dataDir, { port: await freePort(), passwords });
}

/** Moves the server to another port that is free now, for when somebody else took the old one. */
export async function movePort(dataDir: string, access: Access): Promise<Access> {
  return saveAccess(dataDir, { ...access, port: await freePort() });
}

/** The URL by which a role reaches a database. */
export function accessUrl(access: Access, role: RoleKey, database: string): string {
  return `postgres://${roles[role]}:${access.passwords[role]}@127.0.0.1:${access.port}/${database}`;
}

async function saveAccess(dataDir: string, access: Access): Promise<Access> {
  const path = join(dataDir, 'access.json');
  await writePrivately(path, `${JSON.stringify(access)}\n`);
  return access;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
