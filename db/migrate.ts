import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

/** What the roles that aren't the owner may do: role names, and the tables that are exceptions. */
export interface Grants {
  /** Roles that read and write rows. */
  readonly write: readonly string[];
  /** Tables that only ever grow: the writing roles may add to them and read them. */
  readonly appendOnly: readonly string[];
  /** Roles that only read rows. */
  readonly read: readonly string[];
  /** Tables that the reading roles never see. */
  readonly unseen: readonly string[];
}

/** What `migrate` takes. */
export interface MigrateInput {
  readonly ownerUrl: string;
  /** A folder made by drizzle-kit. */
  readonly folder: string;
  readonly grants: Grants;
}

/**
 * Brings a database to the newest schema and lets the other roles in.
 *
 * Any number of processes may call it at once: an advisory lock lets one work while the others wait, and they
 * then find nothing left to do. Grants are stated anew after the migrations, in one transaction. A role that is
 * the owner itself is skipped, and one that writes keeps what it may write: one URL may serve for several uses.
 *
 * throws  after 120 s of waiting for another process.
 */
export async function migrate({ ownerUrl, folder, grants }: MigrateInput): Promise<void> {
  if (!existsSync(join(folder, 'meta', '_journal.json'))) throw new Error(`no migrations in ${folder}`);
  const sql = postgres(ownerUrl, { max: 1, connect_timeout: 15, onnotice: () => undefined });
  try {
    await sql`SET lock_timeout = '120s'`;
    await sql`SELECT pg_advisory_lock(${lockKey})`;
    await sql`SET lock_timeout = '15s'`;
    await applyMigrations(drizzle(sql), { migrationsFolder: folder });
    await sql.begin((transaction) => grantRights(transaction, grants));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The role that a database URL signs in as. */
export function roleOf(url: string): string {
  const role = decodeURIComponent(new URL(url).username);
  if (role === '') throw new Error('the database URL names no role');
  return role;
}

/** Any number will do, as long as nothing else in these databases uses it. */
const lockKey = 8_214_003;

async function grantRights(sql: postgres.TransactionSql, grants: Grants): Promise<void> {
  const [row] = await sql<{ owner: string }[]>`SELECT current_user AS owner`;
  const others = (names: readonly string[]) => names.filter((name) => name !== row?.owner);
  for (const role of others(grants.write)) {
    await sql`GRANT USAGE ON SCHEMA public TO ${sql(role)}`;
    await sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${sql(role)}`;
    await sql`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${sql(role)}`;
    for (const table of grants.appendOnly)
      await sql`REVOKE UPDATE, DELETE ON ${sql(table)} FROM ${sql(role)}`;
  }
  for (const role of others(grants.read).filter((name) => !grants.write.includes(name))) {
    await sql`GRANT USAGE ON SCHEMA public TO ${sql(role)}`;
    await sql`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${sql(role)}`;
    for (const table of grants.unseen) await sql`REVOKE ALL ON ${sql(table)} FROM ${sql(role)}`;
  }
}
