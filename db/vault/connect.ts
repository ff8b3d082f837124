import type { PgDatabase } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema.ts';

/** The vault's database, or a transaction in it: every function of this folder takes either. */
export type Vault = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;

/** An open pool. */
export interface VaultDatabase extends AsyncDisposable {
  readonly db: Vault;
}

/**
 * Opens a pool to the vault's database; nothing is connected before the first query.
 *
 * connectionsMax  bounds this process's share of the server's connections.
 */
export function connectVault(input: {
  readonly url: string;
  readonly connectionsMax: number;
}): VaultDatabase {
  const sql = postgres(input.url, {
    max: input.connectionsMax,
    connect_timeout: 10,
    idle_timeout: 60,
    onnotice: () => undefined,
    connection: {
      application_name: 'vtb-grader',
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
  return { db: drizzle(sql, { schema }), [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}
