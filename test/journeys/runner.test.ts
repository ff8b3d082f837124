import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEnclave, type TestEnclave } from '../service/enclave.ts';

const database = await testDatabase('vault');
const weights = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../seasons/pocket/systems/${name}/weights/model.gguf`));
let enclave: TestEnclave;

beforeAll(async () => {
  enclave = await startEnclave(database, { trials: 4, leaseMs: 5_000 });
});
afterAll(async () => {
  await enclave?.[Symbol.asyncDispose]();
});

test('a system is replayed from lease to report', async () => {
  const runner = await enclave.startRunner();
  const order = await enclave.sendOrder(weights('tuned'));
  try {
    await enclave.until(
      'the order is reported',
      async () => (await enclave.facts(order)).state === 'reported',
    );
  } finally {
    process.stdout.write(enclave.grader.log());
    process.stdout.write(runner.log());
  }
  const facts = await enclave.facts(order);
  console.log(JSON.stringify(facts.result, null, 1));
  expect(facts.resolved).toBe(40);
}, 120_000);
