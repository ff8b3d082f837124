import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { releaseFinals } from '../sweeps/releaseFinals.ts';
import { sendCheckpoints } from '../sweeps/sendCheckpoints.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';
import { StoredInconsistency, verifyStored } from './verifyStored.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock } = gateway;
const owner = postgres(gateway.database.ownerUrl, { max: 1, onnotice: () => undefined });
afterAll(() => owner.end({ timeout: 5 }));

beforeAll(async () => {
  await enclave.holdSplits();
  for (const solved of [10, 20, 30]) {
    const { id } = await enclave.queued();
    await enclave.deliver(await enclave.report(await enclave.lastOrder(id), scored(solved)));
  }
  clock.at = new Date(clock.at.getTime() + 10_000);
  expect(await releaseFinals(deps)).toBe(3);
  await sendCheckpoints(deps);
  await enclave.cosign();
});

/** Does what only somebody with the owner's role can, looks whether a start refuses, and takes it back. */
async function afterTampering(table: string, statement: string): Promise<string> {
  await owner.unsafe(`CREATE TABLE kept AS SELECT * FROM ${table}`);
  await owner.unsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  try {
    await owner.unsafe(statement);
    const error: unknown = await verifyStored(deps).then(
      () => null,
      (cause) => cause,
    );
    expect(error, statement).toBeInstanceOf(StoredInconsistency);
    return String(error);
  } finally {
    await owner.unsafe(`DELETE FROM ${table}`);
    await owner.unsafe(`INSERT INTO ${table} SELECT * FROM kept`);
    await owner.unsafe('DROP TABLE kept');
    await owner.unsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
}

it('what was stored honestly lets the gateway start', async () => {
  await expect(verifyStored(deps)).resolves.toBeUndefined();
});

it.each([
  [
    'its last three leaves taken away',
    'DELETE FROM log_leaves WHERE index > 0',
    /has 1 leaves, but a tree of 4 was signed/,
  ],
  ['a leaf in the middle taken away', 'DELETE FROM log_leaves WHERE index = 2', /leaf 2 of the log/],
  [
    'a leaf changed',
    `UPDATE log_leaves SET text = replace(text, 'publication', 'withdrawal') WHERE index = 1`,
    /leaf 1 of the log/,
  ],
  [
    'a leaf and its hash changed',
    `UPDATE log_leaves SET text = text || ' ', hash = encode(sha256('\\x00'::bytea || convert_to(text || ' ', 'UTF8')), 'hex') WHERE index = 1`,
    /another root at size 4/,
  ],
])('a start is refused: the public log with %s', async (_what, statement, message) => {
  expect(await afterTampering('log_leaves', statement)).toMatch(message);
});

it.each([
  ['a message taken away', 'DELETE FROM feed WHERE number = 2', /after number 1/],
  ['a message changed', `UPDATE feed SET jws = jws || 'A' WHERE number = 1`, /after number 0/],
  [
    'two messages swapped',
    'UPDATE feed a SET jws = b.jws, digest = b.digest FROM feed b WHERE a.number IN (1, 2) AND b.number = 3 - a.number',
    /after number 0/,
  ],
])('a start is refused: the feed with %s', async (_what, statement, message) => {
  expect(await afterTampering('feed', statement)).toMatch(message);
});

it.each([
  ['its last rows taken away', 'DELETE FROM audit WHERE id > (SELECT max(id) FROM audit) - 3'],
  [
    'a publication’s line taken away',
    `DELETE FROM audit WHERE id = (SELECT id FROM audit WHERE act = 'grading.published' LIMIT 1)`,
  ],
  [
    'an order’s line taken away',
    `DELETE FROM audit WHERE id = (SELECT id FROM audit WHERE act = 'grading.ordered' LIMIT 1)`,
  ],
])('a start is refused: the audit log with %s', async (_what, statement) => {
  await afterTampering('audit', statement);
});

it('the application’s own role can change nothing that only grows', async () => {
  for (const table of ['log_leaves', 'feed', 'audit'])
    await expect(gateway.database.sql.unsafe(`DELETE FROM ${table}`)).rejects.toThrow(
      /permission denied|only ever grows/,
    );
});
