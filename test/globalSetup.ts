import { openTestServer } from '@vtb/db/testServer.ts';
import type { TestProject } from 'vitest/node';

/** Opens the door through which test files get databases; returns what closes it after the last test. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await openTestServer();
  project.provide('testDatabaseDoor', server.url);
  return () => server.close();
}
