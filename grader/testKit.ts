import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectVault } from '@vtb/db/vault/connect.ts';
import { activeSplit } from '@vtb/db/vault/splits.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { newMaintainerKey, newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { type MessageKind, publicHalf, type SigningKey, seal } from '@vtb/protocol/messages/sealing.ts';
import { promptSplitDigest } from '@vtb/protocol/season/promptSplit.ts';
import { settingsDigest } from '@vtb/protocol/season/settingsDigest.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { type LoadedSeason, loadSeason } from '@vtb/seasons/load.ts';
import { cryptoRandom } from '@vtb/seasons/random.ts';
import { afterAll } from 'vitest';
import { newBell } from './bell.ts';
import type { Enclave, Limits } from './enclave.ts';
import { enterMessage, feedId, prepareSpool } from './spool.ts';
import { fillVault } from './vault/fillVault.ts';
import { openVaultFolder } from './vault/splitVault.ts';

/** A clock that tests move. */
export interface TestClock {
  now: Date;
}

/** An enclave over a real database and real folders, and the gateway's side of its messages. */
export interface TestEnclave {
  readonly enclave: Enclave;
  readonly clock: TestClock;
  readonly root: string;
  readonly gatewayKey: SigningKey;
  readonly maintainer: SigningKey;
  readonly feed: TestFeed;
  readonly logged: string[];
}

const id = (kind: Parameters<typeof newId>[0]) => newId(kind, randomBytes(20));

const limits: Limits = {
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  trialAttemptsMax: 5,
  fruitlessReplaysMax: 5,
  systemBytesMax: 1024 ** 3,
  progressEveryMs: 0,
  spoolChunkAgeMs: 3_600_000,
};

/** Opens an enclave over a vault database, with splits sealed: three visible tasks, ten hidden ones, two trials each. */
export async function testEnclave(vaultUrl: string, overrides: Partial<Limits> = {}): Promise<TestEnclave> {
  const root = await mkdtemp(join(tmpdir(), 'vtb-grader-'));
  const database = connectVault({ url: vaultUrl, connectionsMax: 8 });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const [signingKey, gatewayKey, maintainer, season] = await Promise.all([
    newSigningKey(),
    newSigningKey(),
    newMaintainerKey(),
    smallSeason(),
  ]);
  const clock = { now: new Date('2026-12-01T12:00:00.000Z') };
  const logged: string[] = [];
  await mkdir(join(root, 'grader/systems'), { recursive: true });
  const enclave: Enclave = {
    db: database.db,
    isVaultEmbedded: false,
    vault: await openVaultFolder({
      db: database.db,
      folder: join(root, 'grader/vault'),
      key: randomBytes(32),
    }),
    spool: await prepareSpool(join(root, 'spool')),
    systems: join(root, 'grader/systems'),
    seasons: new Map([[season.season.id, season]]),
    signingKey,
    gatewayKeys: { [gatewayKey.kid]: publicHalf(gatewayKey) },
    maintainerKey: { kty: 'OKP', crv: 'X25519', x: maintainer.jwk.x ?? '', kid: maintainer.kid },
    now: () => clock.now,
    newId: id,
    log: (level, event, fields) => {
      if (level === 'error') console.log(JSON.stringify({ event, ...fields }));
      logged.push(JSON.stringify({ level, event, ...fields }));
    },
    bell: newBell(),
    columns: new Map(),
    limits: { ...limits, ...overrides },
  };
  await fillVault([season], {
    vault: enclave.vault,
    random: cryptoRandom(),
    now: enclave.now,
    log: enclave.log,
  });
  return { enclave, clock, root, gatewayKey, maintainer, feed: new TestFeed(enclave, gatewayKey), logged };
}

/** The pocket season, small: its track has base files and few tasks. */
async function smallSeason(): Promise<LoadedSeason> {
  const loaded = await loadSeason(fileURLToPath(new URL('../seasons/pocket', import.meta.url)));
  const [track] = loaded.season.tracks;
  if (track === undefined) throw new Error('the pocket season has a track');
  const tasks = [1, 2, 3].map((n) => ({
    id: `val-${n}`,
    problem: `Visible problem ${n}: how much is ${n} + ${n}?`,
    answer: n + n,
  }));
  const digest = promptSplitDigest(tasks);
  const assets = new Map(loaded.assets);
  const asset = (path: string, text: string) => {
    const bytes = new TextEncoder().encode(text);
    assets.set(path, { file: path, bytes, sha256: sha256Hex(bytes) });
    return { path, sha256: sha256Hex(bytes) };
  };
  const small: Track = {
    ...track,
    settings: { ...track.settings, trials: 2, metric: 'avg@k' },
    base: {
      kind: 'gguf',
      facts: asset('b/base.json', '{}'),
      header: asset('b/header.bin', 'header'),
      chatTemplate: asset('b/t.jinja', 'template'),
    },
    splits: {
      validation: { kind: 'fixed', title: 'three', digest, size: 3, path: 'v.jsonl' },
      test: track.splits.test.kind === 'generated' ? { ...track.splits.test, size: 10 } : track.splits.test,
    },
  };
  const season = { ...loaded.season, quotas: { ...loaded.season.quotas, finalsMax: 2 }, tracks: [small] };
  return { ...loaded, season, assets, promptSplits: new Map([[digest, tasks]]) };
}

/** A system of one weights file, as its canonical manifest and chunks. */
export function testSystem(content: string) {
  const chunk = Buffer.from(content);
  const about = Buffer.from(`name = "${sha256Hex(chunk).slice(0, 8)}"`);
  const file = (path: string, role: string, bytes: Uint8Array) => ({
    path,
    role,
    size: bytes.length,
    chunks: [{ sha256: sha256Hex(bytes), size: bytes.length }],
  });
  const files = [file('system.toml', 'description', about), file('weights/model.gguf', 'weights', chunk)];
  const manifest = Buffer.from(canonicalJson({ schema: 1, track: 'wordmath', edits: ['data'], files }));
  const chunks = new Map<string, Uint8Array>([manifest, chunk].map((bytes) => [sha256Hex(bytes), bytes]));
  return { digest: sha256Hex(manifest), weights: sha256Hex(chunk), chunks };
}
export type TestSystem = ReturnType<typeof testSystem>;

/** The gateway's feed as it signs it; messages are numbered and chained as they are made. */
export class TestFeed {
  readonly texts: string[] = [];
  readonly enclave: Enclave;
  readonly key: SigningKey;

  constructor(enclave: Enclave, key: SigningKey) {
    this.enclave = enclave;
    this.key = key;
  }

  /** Where the next message stands. */
  place() {
    const last = this.texts.at(-1);
    return { number: this.texts.length + 1, previous: last === undefined ? '0'.repeat(64) : sha256Hex(last) };
  }

  /** Signs the next message of the feed. */
  async sign(
    kind: MessageKind,
    payload: Record<string, unknown>,
    key = this.key,
  ): Promise<{ number: number; jws: string }> {
    const place = this.place();
    const jws = await seal(kind, { v: 1, aud: 'vtb-grader', ...place, ...payload }, key);
    this.texts.push(jws);
    return { number: place.number, jws };
  }

  /** The payload of an order for a system, beside its place. */
  async order(system: TestSystem, purpose: 'validation' | 'final', changes: Record<string, unknown> = {}) {
    const split = await activeSplit({ season: 'pocket', track: 'wordmath', purpose }, this.enclave.db);
    const track = this.enclave.seasons.get('pocket')?.season.tracks[0];
    if (split === undefined || track === undefined) throw new Error('the vault is filled');
    return {
      order: id('order'),
      grading: id('grading'),
      gradingNumber: 1,
      submission: id('submission'),
      season: 'pocket',
      track: 'wordmath',
      purpose,
      system: system.digest,
      split: split.digest,
      settings: settingsDigest(track),
      team: createHash('md5').update('team').digest('hex'),
      cause: 'first',
      priority: 0,
      issuedAt: '2026-12-01T12:00:00.000Z',
      deadline: '2026-12-02T12:00:00.000Z',
      ...changes,
    };
  }

  /** Puts a signed message into the inbox, and the chunks it needs before it. */
  async arrive(
    message: { readonly number: number; readonly jws: string },
    chunks: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<void> {
    for (const [sha256, bytes] of chunks)
      await writeFile(join(this.enclave.spool.root, 'chunks', sha256), bytes);
    await enterMessage('inbox', feedId(message.number), { 'message.jws': message.jws }, this.enclave.spool);
  }

  /** Signs an order and lets it arrive. */
  async sendOrder(
    system: TestSystem,
    purpose: 'validation' | 'final',
    changes: Record<string, unknown> = {},
  ) {
    const payload = await this.order(system, purpose, changes);
    await this.arrive(await this.sign('order', payload), system.chunks);
    return payload;
  }
}

/** Writes a file with its folders, for tests of keys and configuration. */
export async function writeTestFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o600 });
}
