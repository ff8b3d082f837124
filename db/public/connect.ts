import type { PgDatabase } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema.ts';

/** The public database, or a transaction in it: every function of this folder takes either. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, typeof schema>;

/** An open pool. `sql` is for LISTEN and for what needs a connection of its own. */
export interface PublicDatabase extends AsyncDisposable {
  readonly db: Db;
  readonly sql: postgres.Sql;
}

/**
 * Opens a pool to the public database; nothing is connected before the first query.
 *
 * connectionsMax  bounds this process's share of the server's connections.
 */
export function connectPublic(input: {
  readonly url: string;
  readonly connectionsMax: number;
}): PublicDatabase {
  const sql = postgres(input.url, {
    max: input.connectionsMax,
    connect_timeout: 10,
    idle_timeout: 60,
    onnotice: () => undefined,
    connection: {
      application_name: 'vtb-gateway',
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
  return { db: drizzle(sql, { schema }), sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}
