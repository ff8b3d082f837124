import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { baseFactsSchema } from '@vtb/protocol/system/base.ts';
import { memoryReadAt } from '@vtb/protocol/system/crafting/memoryFiles.ts';
import { parseGguf } from '@vtb/protocol/system/gguf.ts';
import { planGgufRewrite, rewrittenBytes } from '@vtb/protocol/system/rewriteGguf.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EnclaveProcess, startEnclave, type TestEnclave } from '../service/enclave.ts';
import { descendants, pidsOf } from '../service/processTree.ts';

const database = await testDatabase('vault');
const pocket = join(import.meta.dirname, '../../seasons/pocket');
const tuned = readFileSync(join(pocket, 'systems/tuned/weights/model.gguf'));
const trials = 20;
const concurrency = 4;
let enclave: TestEnclave;
let runner: EnclaveProcess;

beforeAll(async () => {
  enclave = await startEnclave(database, { trials: 2, leaseMs: 5_000 });
  runner = await enclave.startRunner();
  await enclave.until('the runner is ready', async () => runner.log().includes('"runner.ready"'));
});
afterAll(async () => {
  await enclave?.[Symbol.asyncDispose]();
});

describe('a runner beside a real grader', { timeout: 180_000 }, () => {
  test('replays a system from lease to report, as many at once as the track says', async () => {
    const order = await enclave.sendOrder(tuned);
    const running: number[] = [];
    await enclave.until('the order is reported', async () => {
      running.push(await requestsAtEngine());
      return (await enclave.facts(order)).state === 'reported';
    });
    const { resolved, replays, result } = await enclave.facts(order);
    expect(resolved).toBe(trials);
    expect(replays.map((r) => r.finish)).toEqual([{ kind: 'done' }]);
    expect(Math.max(...running)).toBe(concurrency);
    expect(result).toMatchObject({ kind: 'scored', totals: { cachedTokens: 0 }, retriedTrials: '0' });
    expect(replays[0]?.environment).toMatchObject({ weights: await digestOfRewritten(tuned) });
    expect(problemsIn(runner.log() + enclave.grader.log())).toEqual([]);
    await nothingIsLeft();
  });

  test('drops a replay whose order is cancelled: everything of it dies, nothing more is sent, the next is worked', async () => {
    const order = await enclave.sendOrder(tuned);
    await someTrialsOf(order);
    const pids = (await descendants(runner.pid)).map((p) => p.pid);
    expect(pids.length).toBeGreaterThan(1);
    await enclave.sendCancel(order);
    await enclave.until('the replay is dropped', async () => runner.log().includes('"replay.lost"'), 15_000);
    await enclave.until('its processes are gone', async () => !pids.some(isAlive), 5_000);
    const { resolved } = await enclave.facts(order);
    const said = trialsDone(runner);
    const next = await enclave.sendOrder(tuned);
    await enclave.until('the next is leased', async () => (await enclave.facts(next)).replays.length === 1);
    const facts = await enclave.facts(order);
    expect([facts.resolved, trialsDone(runner), facts.replays[0]?.finish]).toEqual([resolved, said, null]);
    await enclave.until('the next is done', async () => (await enclave.facts(next)).state === 'reported');
    expect((await enclave.facts(next)).resolved).toBe(trials);
  });

  test('weights that are torn, are noise, or hold no number end their order, not the runner', async () => {
    const torn = tuned.subarray(0, tuned.length - 1_000_000);
    const noise = Buffer.alloc(100_000, 'GGUF\u0003\u0000\u00ff');
    const orders = [await enclave.sendOrder(torn), await enclave.sendOrder(noise)];
    for (const order of orders) {
      await enclave.until('it is reported', async () => (await enclave.facts(order)).state === 'failed');
      expect((await enclave.facts(order)).result).toEqual({
        kind: 'failed',
        fault: 'system',
        cause: 'weightsUnloadable',
      });
    }
    const nan = await enclave.sendOrder(await withoutNumbers(tuned));
    const isOver = async () => ['reported', 'failed'].includes((await enclave.facts(nan)).state);
    await enclave.until('the last is over', isOver, 120_000);
    // The engine samples something from no numbers, or breaks: the rewards are 0 by the system's own doing.
    expect((await enclave.facts(nan)).result).toMatchObject(
      (await enclave.facts(nan)).state === 'reported'
        ? { kind: 'scored', metrics: [{ sumC: 0 }] }
        : { kind: 'failed', fault: 'system' },
    );
    expect(isAlive(runner.pid)).toBe(true);
  });

  test('an engine that is killed once is started again; its trials are tried again with their seeds', async () => {
    const order = await enclave.sendOrder(tuned);
    await someTrialsOf(order);
    for (const pid of await pidsOf('engine', runner.pid)) process.kill(pid, 'SIGKILL');
    await enclave.until('the order is over', async () => (await enclave.facts(order)).state === 'reported');
    const facts = await enclave.facts(order);
    expect(facts.resolved).toBe(trials);
    expect(facts.replays).toHaveLength(1);
    expect(facts.trials.filter((t) => t.judged === 'failed')).toEqual([]);
    expect(facts.result).toMatchObject({ kind: 'scored', retriedTrials: '1-4' });
  });

  test('kill -9 of the runner leaves no engine and no proxy; the next start sweeps and goes on', async () => {
    const order = await enclave.sendOrder(tuned);
    await someTrialsOf(order);
    const pids = (await descendants(runner.pid)).map((p) => p.pid);
    expect(await pidsOf('engine', runner.pid)).not.toEqual([]);
    runner.child.kill('SIGKILL');
    await runner.ended;
    await enclave.until('its processes are gone', async () => !pids.some(isAlive), 5_000);
    expect(readdirSync(join(enclave.dataDir, 'runner/work'))).toHaveLength(1);
    runner = await enclave.startRunner();
    await enclave.until('it swept', async () => runner.log().includes('"runner.swept"'));
    await enclave.until('the order is over', async () => (await enclave.facts(order)).state === 'reported');
    expect((await enclave.facts(order)).resolved).toBe(trials);
    await nothingIsLeft();
  });

  test('SIGTERM in the middle releases the replay, cleans up and ends', async () => {
    const order = await enclave.sendOrder(tuned);
    await someTrialsOf(order);
    const pids = (await descendants(runner.pid)).map((p) => p.pid);
    runner.child.kill('SIGTERM');
    await runner.ended;
    expect(runner.child.exitCode).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await enclave.facts(order)).replays.map((r) => r.finish)).toEqual([{ kind: 'released' }]);
    await nothingIsLeft();
    await enclave.sendCancel(order);
  });

  test('an ordinary user’s runner replays too, and says how it was isolated', async (context) => {
    if (process.getuid?.() !== 0) context.skip('starting another user’s runner needs root');
    // Two runners with one key would take each other's leases.
    runner.child.kill('SIGTERM');
    await runner.ended;
    const order = await enclave.sendOrder(tuned);
    const other = await enclave.startRunner({ uid: 1500, gid: 1500 });
    await enclave.until('the order is over', async () => (await enclave.facts(order)).state === 'reported');
    expect((await enclave.facts(order)).result).toMatchObject({
      kind: 'scored',
      environment: { isolation: expect.stringMatching(/^process(\+netns)?$/) },
    });
    other.child.kill('SIGTERM');
    await other.ended;
    expect(other.child.exitCode).toBe(0);
  });
});

const someTrialsOf = (order: string) =>
  enclave.until('a few trials are done', async () => {
    const { resolved } = await enclave.facts(order);
    if (resolved === trials) throw new Error('too late: all trials are done');
    return resolved > 0;
  });

/** Texts of tasks that got into a log. */
function problemsIn(log: string): readonly string[] {
  const lines = readFileSync(join(pocket, 'wordmath/validation.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line).problem.slice(0, 30)).filter((text) => log.includes(text));
}

function trialsDone({ log }: EnclaveProcess): number {
  return log().split('"trial.done"').length - 1;
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function nothingIsLeft(): Promise<void> {
  await enclave.until('its folders are gone', async () => {
    return readdirSync(join(enclave.dataDir, 'runner/work')).length === 0;
  });
}

/** Sockets of this enclave's runner: of other runners on this host there are others. */
function socketFolders(): readonly string[] {
  return readdirSync(join(enclave.dataDir, 'runner/work')).map((replay) =>
    join(enclave.dataDir, 'runner/work', replay, 'sockets'),
  );
}

/** What the engine of the replay at hand says it works on; 0 when there is none. */
function requestsAtEngine(): Promise<number> {
  const socketPath = socketFolders().map((folder) => join(folder, 'e1-1/engine.sock'))[0];
  if (socketPath === undefined) return Promise.resolve(0);
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: '/counters', agent: false, timeout: 2_000 }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.once('end', () => resolve(JSON.parse(text).running));
      response.once('error', () => resolve(0));
    });
    sent.once('error', () => resolve(0));
    sent.end();
  });
}

async function planOf(bytes: Uint8Array) {
  const base = baseFactsSchema.parse(JSON.parse(readFileSync(join(pocket, 'wordmath/base.json'), 'utf8')));
  if (base.format !== 'gguf') throw new Error('the pocket base is a GGUF');
  const team = await parseGguf({ path: 'm.gguf', size: bytes.length }, readerOf(bytes));
  const outcome = await planGgufRewrite({
    base,
    baseHeader: readFileSync(join(pocket, 'wordmath/base.header')),
    team,
  });
  if (!outcome.ok) throw new Error('the tuned weights fit their base');
  return outcome.plan;
}

async function digestOfRewritten(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of rewrittenBytes(await planOf(bytes), readerOf(bytes))) hash.update(block);
  return hash.digest('hex');
}

/** The same file with every bit of every tensor set: each number of it is NaN. */
async function withoutNumbers(bytes: Uint8Array): Promise<Uint8Array> {
  const copy = Uint8Array.from(bytes);
  for (const part of (await planOf(bytes)).parts)
    copy.fill(0xff, part.sourceOffset, part.sourceOffset + part.size);
  return copy;
}

function readerOf(bytes: Uint8Array) {
  return memoryReadAt(bytes, { calls: 0, bytes: 0 });
}
