import postgres from 'postgres';
import { type Access, accessUrl, type RoleKey, roles } from './access.ts';

/** Who may connect to a database besides its owner. */
export interface DatabaseRoles {
  readonly owner: RoleKey;
  readonly connect: readonly RoleKey[];
}

/** The two sides: their databases and the roles of each. */
export const sides = {
  public: { database: 'vtb_public', owner: 'publicOwner', connect: ['publicApp', 'publicRead'] },
  vault: { database: 'vtb_vault', owner: 'vaultOwner', connect: ['vaultApp'] },
} as const satisfies Record<string, DatabaseRoles & { readonly database: string }>;

/** Makes roles and databases where they aren't there yet; the second time changes nothing. */
export async function provision(access: Access): Promise<void> {
  await using admin = adminClient(access);
  const { sql } = admin;
  for (const key of Object.keys(roles) as RoleKey[]) await ensureRole(sql, key, access);
  await sql.unsafe('REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC');
  for (const side of Object.values(sides)) {
    const [found] = await sql`SELECT 1 FROM pg_database WHERE datname = ${side.database}`;
    if (found === undefined) await sql.unsafe(`CREATE DATABASE ${side.database} OWNER ${roles[side.owner]}`);
    await closeDatabase(sql, side.database, side);
  }
}

/** Lets only these roles connect to a database. */
export async function closeDatabase(
  sql: postgres.Sql,
  database: string,
  allowed: DatabaseRoles,
): Promise<void> {
  await sql.unsafe(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  for (const key of allowed.connect)
    await sql.unsafe(`GRANT CONNECT ON DATABASE ${database} TO ${roles[key]}`);
}

/** A superuser's connection to the server's own database; for provisioning only. */
export function adminClient(access: Access): AsyncDisposable & { readonly sql: postgres.Sql } {
  const sql = postgres(accessUrl(access, 'superuser', 'postgres'), {
    max: 1,
    connect_timeout: 10,
    onnotice: () => undefined,
  });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

async function ensureRole(sql: postgres.Sql, key: RoleKey, access: Access): Promise<void> {
  const name = roles[key];
  const [found] = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${name}`;
  if (found !== undefined) return;
  // Random base64url: no quote can be in it.
  await sql.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD '${access.passwords[key]}'`);
  if (key === 'publicRead') await sql.unsafe(`ALTER ROLE ${name} SET default_transaction_read_only = on`);
}
