import { readFile } from 'node:fs/promises';
import { addOrderChunks, markReady, type OrderRow } from '@vtb/db/vault/orders.ts';
import { splitByDigest } from '@vtb/db/vault/splits.ts';
import { planTrials } from '@vtb/db/vault/trials.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { promptTaskDigest } from '@vtb/protocol/season/promptSplit.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import type { Manifest } from '@vtb/protocol/system/manifest.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import type { Enclave } from '../enclave.ts';
import { replayedChunks } from '../replayedChunks.ts';
import { chunkPath, takeChunk } from '../spoolChunks.ts';
import { openSplit, trialSeed } from '../vault/splitVault.ts';
import { failOrder } from './failOrder.ts';

/**
 * Makes an accepted order ready: its system's chunks re-hashed into the grader's own folder, its trials planned. Every
 * step may be repeated: chunks that lie there are kept, trials are planned once.
 */
export async function ingestOrder(order: OrderRow, enclave: Enclave): Promise<void> {
  try {
    await takeSystem(order, enclave);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    enclave.log('error', 'order.chunks', { order: order.id, why: error.message });
    await failOrder(
      { order: order.id, result: { kind: 'failed', fault: 'ours', cause: 'chunks' }, detail: error.message },
      enclave,
    );
    return;
  }
  const trials = await plan(order, enclave);
  const ready = await enclave.db.transaction(async (tx) => {
    await planTrials(trials, tx);
    return markReady(order.id, tx);
  });
  if (!ready) return;
  enclave.log('info', 'order.ready', { order: order.id, trials: trials.length });
  enclave.bell.ring();
}

/** Copies at once: enough to keep a disk busy, few enough open files. */
const copiesAtOnce = 4;

async function takeSystem(order: OrderRow, enclave: Enclave): Promise<void> {
  const { db, spool, systems: into } = enclave;
  const { system } = order.document;
  // Rows first: the sweep keeps files that a row of an open order names.
  await addOrderChunks({ order: order.id, chunks: [{ sha256: system, size: 0 }] }, db);
  await takeChunk({ sha256: system, size: null, sizeMax: systemLimits.manifestBytesMax, into }, spool);
  const chunks = replayedChunks(await manifestOf(order, enclave));
  const bytes = chunks.reduce((total, chunk) => total + chunk.size, 0);
  if (bytes > enclave.limits.systemBytesMax)
    throw new Refusal(
      'message.invalid',
      `a system of ${bytes} bytes is over ${enclave.limits.systemBytesMax}`,
    );
  await addOrderChunks({ order: order.id, chunks }, db);
  const left = [...chunks];
  const copy = async () => {
    for (let chunk = left.pop(); chunk !== undefined; chunk = left.pop()) {
      await takeChunk(
        { sha256: chunk.sha256, size: chunk.size, sizeMax: systemLimits.chunkBytesMax, into },
        spool,
      );
    }
  };
  await Promise.all(Array.from({ length: copiesAtOnce }, copy));
}

async function manifestOf(order: OrderRow, enclave: Enclave): Promise<Manifest> {
  const { system, track } = order.document;
  const bytes = await readFile(chunkPath(enclave.systems, system));
  const reading = readManifest(parseJson(bytes));
  if (!reading.ok)
    throw new Refusal(
      'manifest.invalid',
      `the manifest does not hold: ${reading.problems[0]?.message ?? ''}`.slice(0, 300),
    );
  if (reading.manifest.track !== track)
    throw new Refusal('manifest.invalid', 'the manifest is for another track');
  return reading.manifest;
}

async function plan(order: OrderRow, enclave: Enclave) {
  const { season, track, split: digest, system } = order.document;
  const split = await splitByDigest({ season, track, digest }, enclave.db);
  if (split === undefined) throw new Error(`the split of order ${order.id} was held when it was taken`);
  const tasks = await openSplit(split, enclave.vault);
  return tasks.flatMap((task, place) => {
    const name = promptTaskDigest(task);
    return Array.from({ length: order.trialsPerTask }, (_, trial) => ({
      id: enclave.newId('trial'),
      order: order.id,
      task: place,
      trial,
      seed: trialSeed({ system, split: digest, task: name, trial }, enclave.vault),
    }));
  });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
