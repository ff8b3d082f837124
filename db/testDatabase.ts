import postgres from 'postgres';
import { afterAll, inject } from 'vitest';
import type { CloneUrls, Side } from './testServer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabaseDoor: string;
  }
}

/** A database of a test file's own, migrated, empty, and dropped when the file ends. */
export interface TestDatabase {
  readonly name: string;
  /** The application's role: what the service uses. */
  readonly url: string;
  /** The owner's role: migrations. */
  readonly ownerUrl: string;
  /** The site's read-only role; the public side's alone. */
  readonly readUrl: string | null;
  /** A client of the application's role, closed with the database. */
  readonly sql: postgres.Sql;
}

/**
 * Clones the migrated template of one side for the calling test file. Call it at the top of the file:
 *
 *     const database = await testDatabase('public');
 */
export async function testDatabase(side: Side): Promise<TestDatabase> {
  const door = inject('testDatabaseDoor');
  const urls = (await ask(`${door}/make/${side}`)) as CloneUrls;
  const sql = postgres(urls.app, { max: 8, onnotice: () => undefined });
  afterAll(async () => {
    await sql.end({ timeout: 5 });
    await ask(`${door}/drop/${urls.name}`);
  });
  return { name: urls.name, url: urls.app, ownerUrl: urls.owner, readUrl: urls.read, sql };
}

async function ask(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(90_000) });
  if (!response.ok) throw new Error(`the test server answered: ${await response.text()}`);
  return response.json();
}
