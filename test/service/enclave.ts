/**
 * The enclave alone: a real grader process over a database of the test's own, and real runner processes. The test is
 * the gateway: it signs the feed, lays systems' chunks into the spool, and reads what the vault came to.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestDatabase } from '@vtb/db/testDatabase.ts';
import { ensureKeys } from '@vtb/deploy/local/keys.ts';
import { waitFor } from '@vtb/deploy/local/waitFor.ts';
import { enterMessage, feedId } from '@vtb/grader/spool.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { type IdKind, newId } from '@vtb/protocol/ids.ts';
import type { Result } from '@vtb/protocol/messages/report.ts';
import { type MessageKind, type SigningKey, seal } from '@vtb/protocol/messages/sealing.ts';
import { settingsDigest } from '@vtb/protocol/season/settingsDigest.ts';
import { memoryManifest } from '@vtb/protocol/system/crafting/memoryFiles.ts';
import { loadSeason } from '@vtb/seasons/load.ts';
import { writeSmallSeason } from './smallSeason.ts';

const root = join(import.meta.dirname, '../..');
const orderMs = 3_600_000;

/** A process of the enclave. */
export interface EnclaveProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it wrote to stderr so far: one JSON line an event. */
  readonly log: () => string;
  readonly ended: Promise<unknown>;
}

/** Trials, replays and results as the vault has them. */
export interface OrderFacts {
  readonly state: string;
  readonly result: Result | null;
  readonly trials: readonly { readonly id: string; readonly state: string; readonly judged: string | null }[];
  readonly resolved: number;
  readonly replays: readonly { readonly finish: unknown; readonly environment: unknown }[];
}

/** A running enclave. */
export interface TestEnclave extends AsyncDisposable {
  readonly dataDir: string;
  readonly deskUrl: string;
  readonly grader: EnclaveProcess;
  /** Starts a runner; `account` starts it as another user, on a data folder of its own. */
  readonly startRunner: (account?: { readonly uid: number; readonly gid: number }) => Promise<EnclaveProcess>;
  /** Signs an order on the visible split for a weights file, and lets it arrive. Returns its id. */
  readonly sendOrder: (gguf: Uint8Array) => Promise<string>;
  readonly sendCancel: (order: string) => Promise<void>;
  readonly facts: (order: string) => Promise<OrderFacts>;
  readonly until: (what: string, check: () => Promise<boolean>, timeoutMs?: number) => Promise<void>;
}

/** Starts a grader over the database, with the small season; `settings` are lines of its TOML by name. */
export async function startEnclave(
  database: TestDatabase,
  input: { readonly trials: number; readonly leaseMs: number },
): Promise<TestEnclave> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vtb-enclave-'));
  const seasonsDir = join(dataDir, 'seasons');
  await writeSmallSeason(seasonsDir);
  const toml = join(seasonsDir, 'pocket/season.toml');
  await writeFile(
    toml,
    (await readFile(toml, 'utf8')).replace(/^trials = \d+$/m, `trials = ${input.trials}`),
  );
  await ensureKeys(dataDir);
  const gatewayKey: SigningKey = JSON.parse(
    await readFile(join(dataDir, 'gateway/keys/signing.json'), 'utf8'),
  );
  const grader = start('grader/main.ts', {
    VTB_DATA: dataDir,
    VAULT_DATABASE_URL: database.url,
    VAULT_OWNER_URL: database.ownerUrl,
    // The tests' server is the embedded one: an ordinary user's runner may help.
    VTB_VAULT_EMBEDDED: '1',
    VTB_SEASONS: 'pocket',
    VTB_SEASONS_DIR: seasonsDir,
    VTB_LEASE_MS: `${input.leaseMs}`,
    VTB_HEARTBEAT_MS: `${Math.round(input.leaseMs / 5)}`,
  });
  const started: EnclaveProcess[] = [grader];
  const folders = new Set([dataDir]);
  const until = (what: string, check: () => Promise<boolean>, timeoutMs = 60_000) =>
    waitFor(what, check, { timeoutMs, everyMs: 50, signal: new AbortController().signal }).catch(
      (cause: unknown) => {
        const logs = started.map((each) => each.log().slice(-4_000)).join('\n');
        throw new Error(`${what}: ${cause instanceof Error ? cause.message : ''}\n${logs}`, { cause });
      },
    );
  await until('the grader is ready', async () => {
    if (grader.child.exitCode !== null) throw new Error(`the grader ended:\n${grader.log()}`);
    return grader.log().includes('"grader.ready"');
  });
  const deskUrl = (await readFile(join(dataDir, 'grader/desk.url'), 'utf8')).trim();
  const { season } = await loadSeason(join(seasonsDir, 'pocket'));
  const [track] = season.tracks;
  if (track === undefined) throw new Error('the pocket season has a track');
  const { sql } = database;
  const feed = { number: 0, previous: '0'.repeat(64) };

  const send = async (kind: MessageKind, payload: Record<string, unknown>) => {
    const number = feed.number + 1;
    const jws = await seal(kind, { v: 1, aud: 'vtb-grader', ...feed, number, ...payload }, gatewayKey);
    await enterMessage('inbox', feedId(number), { 'message.jws': jws }, { root: join(dataDir, 'spool') });
    Object.assign(feed, { number, previous: sha256Hex(jws) });
  };

  return {
    dataDir,
    deskUrl,
    grader,
    until,
    async startRunner(account) {
      const own = account === undefined ? dataDir : await runnerFolder(dataDir, account);
      folders.add(own);
      const runner = start('runners/main.ts', { VTB_DATA: own, VTB_DESK_URL: deskUrl }, account);
      started.push(runner);
      return runner;
    },
    async sendOrder(gguf) {
      const files = new Map([
        ['system.toml', Buffer.from('name = "a system"\n')],
        ['weights/model.gguf', gguf],
      ]);
      const manifest = await memoryManifest({ track: track.id, edits: ['data'] }, files);
      const bytes = Buffer.from(canonicalJson(manifest));
      const weights = manifest.files.find((file) => file.role === 'weights');
      const chunks = [bytes, ...cut(gguf, weights?.chunks ?? [])];
      for (const chunk of chunks) await writeFile(join(dataDir, 'spool/chunks', sha256Hex(chunk)), chunk);
      const [split] = await sql`select digest from splits where purpose = 'validation' and active`;
      const order = id('order');
      await send('order', {
        ...{ order, grading: id('grading'), gradingNumber: 1, submission: id('submission') },
        ...{ season: season.id, track: track.id, purpose: 'validation', system: sha256Hex(bytes) },
        ...{ split: split?.digest, settings: settingsDigest(track), team: randomBytes(16).toString('hex') },
        ...{ cause: 'first', priority: 0, issuedAt: new Date().toISOString() },
        deadline: new Date(Date.now() + orderMs).toISOString(),
      });
      return order;
    },
    sendCancel: (order) => send('cancel', { order, cause: 'withdrawn' }),
    async facts(order) {
      const [row] = await sql`select state, result from orders where id = ${order}`;
      const trials = await sql`select id, state, judged from trials where "order" = ${order}`;
      const replays =
        await sql`select finish, environment from replays where "order" = ${order} order by attempt`;
      return {
        state: row?.state ?? 'unknown',
        result: row?.result ?? null,
        trials: trials.map((t) => ({ id: t.id, state: t.state, judged: t.judged })),
        resolved: trials.filter((t) => t.state === 'resolved').length,
        replays: replays.map((r) => ({ finish: r.finish, environment: r.environment })),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const each of started.reverse()) {
        if (each.child.exitCode === null && each.child.signalCode === null) each.child.kill('SIGTERM');
        await each.ended;
      }
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder as a runner on another host has it: its key, and nothing else of the enclave. */
async function runnerFolder(dataDir: string, account: { readonly uid: number; readonly gid: number }) {
  const own = await mkdtemp(join(tmpdir(), 'vtb-runner-'));
  const key = join(own, 'runner/keys/runner.json');
  await mkdir(dirname(key), { recursive: true });
  cpSync(join(dataDir, 'runner/keys/runner.json'), key);
  for (const path of [own, join(own, 'runner'), dirname(key), key]) chownSync(path, account.uid, account.gid);
  return own;
}

function start(
  script: string,
  env: Readonly<Record<string, string>>,
  account?: { readonly uid: number; readonly gid: number },
): EnclaveProcess {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: '/',
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  return { pid: child.pid ?? 0, child, log: () => log, ended: once(child, 'exit') };
}

function cut(bytes: Uint8Array, chunks: readonly { readonly size: number }[]): readonly Uint8Array[] {
  let offset = 0;
  return chunks.map(({ size }) => {
    offset += size;
    return bytes.subarray(offset - size, offset);
  });
}

function id(kind: IdKind): string {
  return newId(kind, randomBytes(20));
}
