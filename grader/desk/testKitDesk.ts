import type { TestDatabase } from '@vtb/db/testDatabase.ts';
import { gradeOnce } from '../grade.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';
import { testDesk } from '../testKitRunner.ts';

/** An enclave with a desk, and a way to begin each test with one fresh order and two fresh runners. */
export async function deskSuite(database: TestDatabase) {
  const at: TestEnclave = await testEnclave(database.url);
  const desk = testDesk(at.enclave);
  const grade = () => gradeOnce({ number: 0 }, at.enclave);
  return {
    at,
    desk,
    grade,
    later: (ms: number) => {
      at.clock.now = new Date(at.clock.now.getTime() + ms);
    },
    /** Whatever was open before is cancelled. */
    fresh: async (
      name: string,
      purpose: 'validation' | 'final' = 'validation',
      changes: Record<string, unknown> = {},
    ) => {
      for (const {
        id,
      } of await database.sql`SELECT id FROM orders WHERE state IN ('ordered', 'replaying')`) {
        await at.feed.arrive(await at.feed.sign('cancel', { order: id, cause: 'superseded' }));
      }
      const system = testSystem(name);
      const order = await at.feed.sendOrder(system, purpose, changes);
      await grade();
      return { order, system, a: await desk.enrol(), b: await desk.enrol() };
    },
  };
}
