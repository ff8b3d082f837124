import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from '@vtb/db/vault/connect.ts';
import { activeSplit, allSplits, holdSplit, type SplitPlace, type SplitRow } from '@vtb/db/vault/splits.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { type PromptTask, promptSplitDigest, promptTaskSchema } from '@vtb/protocol/season/promptSplit.ts';
import { z } from 'zod';
import { writeWhole } from '../writeWhole.ts';
import { open, seal, type VaultKey } from './sealed.ts';

/** Where sealed splits are: rows in the vault's database, tasks in sealed files, plain text in this process's memory. */
export interface SplitVault {
  readonly db: Vault;
  readonly folder: string;
  readonly key: VaultKey;
  /** Opened splits by file; a split is some hundred KiB. */
  readonly opened: Map<string, readonly PromptTask[]>;
}

/** A vault over a folder, which is made when it isn't there. */
export async function openVaultFolder(input: {
  readonly db: Vault;
  readonly folder: string;
  readonly key: VaultKey;
}): Promise<SplitVault> {
  if (input.key.length !== 32) throw new RangeError(`the vault's key has 32 bytes, not ${input.key.length}`);
  await mkdir(input.folder, { recursive: true, mode: 0o700 });
  return { ...input, opened: new Map() };
}

/** What is said of a split when it enters the vault. */
export interface NewSplit extends SplitPlace {
  readonly hidden: boolean;
  readonly secrecy: SplitRow['secrecy'];
  /** The season's name of it: a digest or `generated:<name>`. */
  readonly source: string;
  readonly tasks: readonly PromptTask[];
  readonly now: Date;
}

/** Seals tasks into the vault and makes them the active split of their place. The file is whole before its row. */
export async function sealSplit(split: NewSplit, vault: SplitVault): Promise<SplitRow> {
  const { season, track, purpose, hidden, secrecy, source, tasks, now } = split;
  const digest = promptSplitDigest(tasks);
  const salt = randomBytes(32);
  const commitment = sha256Hex(Buffer.concat([salt, Buffer.from(digest, 'hex')]));
  const file = `${randomBytes(16).toString('hex')}.split`;
  const bytes = new TextEncoder().encode(JSON.stringify(tasks));
  await writeWhole(join(vault.folder, file), seal(vault.key, bytes, about(digest, purpose)));
  const row = {
    digest,
    season,
    track,
    purpose,
    hidden,
    secrecy,
    tasks: tasks.length,
    file,
    salt: salt.toString('hex'),
    commitment,
    source,
    heldAt: now,
  };
  const known = (await allSplits(vault.db)).find(
    (other) =>
      other.season === season &&
      other.track === track &&
      other.purpose === purpose &&
      other.digest === digest,
  );
  await holdSplit(
    known === undefined ? row : { ...row, file: known.file, salt: known.salt, commitment: known.commitment },
    vault.db,
  );
  const held = await activeSplit(split, vault.db);
  if (held === undefined) throw new Error('a split that was sealed is held');
  return held;
}

/**
 * A split's tasks, in memory only.
 *
 * throws  Error when the file is not what was sealed; the tasks are hashed again, so a row can't point elsewhere.
 */
export async function openSplit(row: SplitRow, vault: SplitVault): Promise<readonly PromptTask[]> {
  const known = vault.opened.get(row.file);
  if (known !== undefined) return known;
  const bytes = open(vault.key, await readFile(join(vault.folder, row.file)), about(row.digest, row.purpose));
  const tasks = z.array(promptTaskSchema).parse(JSON.parse(new TextDecoder().decode(bytes)));
  if (promptSplitDigest(tasks) !== row.digest)
    throw new Error(`the sealed file of split ${row.digest} holds other tasks`);
  vault.opened.set(row.file, tasks);
  return tasks;
}

/** Removes sealed files that no row names: left by a start that was killed before its row. */
export async function removeOrphans(vault: SplitVault): Promise<number> {
  const named = new Set((await allSplits(vault.db)).map((row) => row.file));
  const orphans = (await readdir(vault.folder)).filter(
    (name) => /^[0-9a-f]{32}\.split(\.part)?$/.test(name) && !named.has(name),
  );
  for (const name of orphans) await unlink(join(vault.folder, name));
  return orphans.length;
}

/** Seals what a runner sent about a trial. */
export function sealForTrial(bytes: Uint8Array, trial: string, vault: SplitVault): Uint8Array {
  return seal(vault.key, bytes, `trial\n${trial}`);
}

/** Opens what was sealed about a trial. */
export function openForTrial(sealed: Uint8Array, trial: string, vault: SplitVault): Uint8Array {
  return open(vault.key, sealed, `trial\n${trial}`);
}

/** A keyed digest: tells whether two texts are equal, and nothing to who lacks the key. */
export function keyedMark(text: string, vault: SplitVault): string {
  return createHmac('sha256', vault.key).update('mark\n').update(text).digest('hex');
}

/**
 * The sampler's seed of a trial: 32 bits, keyed, so that nobody outside can know it before.
 *
 * It depends on the system and the task, and on nothing that a repetition changes: not on attempt, order, submission
 * or cause. So nobody gets a second sample by failing a grading, by a retry, or by sending the same bytes again; and a
 * re-grade differs from the grading before it by what was mended, not by luck.
 *
 * system, split, task  their digests
 */
export function trialSeed(
  of: { readonly system: string; readonly split: string; readonly task: string; readonly trial: number },
  vault: Pick<SplitVault, 'key'>,
): number {
  const { system, split, task, trial } = of;
  return createHmac('sha256', vault.key)
    .update(`seed\n${system}\n${split}\n${task}\n${trial}`)
    .digest()
    .readUInt32BE(0);
}

function about(digest: string, purpose: string): string {
  return `split\n${digest}\n${purpose}`;
}
