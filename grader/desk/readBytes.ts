import { open } from 'node:fs/promises';
import { findOrder, hasChunk } from '@vtb/db/vault/orders.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { type Enclave, findTrackOf } from '../enclave.ts';
import { chunkPath } from '../spoolChunks.ts';
import { type Hold, heldReplay, unknown } from './held.ts';

/** A chunk of the system that a held replay is about, from the grader's own folder: bytes that were hashed when they came. */
export async function readChunk(hold: Hold, sha256: string, enclave: Enclave): Promise<Uint8Array> {
  const replay = await heldReplay(hold, enclave.db, enclave);
  if (!(await hasChunk({ order: replay.order, sha256 }, enclave.db))) throw unknown();
  const file = await open(chunkPath(enclave.systems, sha256), 'r');
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** One of the base's files of the track that a held replay is about. */
export async function readAsset(hold: Hold, sha256: string, enclave: Enclave): Promise<Uint8Array> {
  const replay = await heldReplay(hold, enclave.db, enclave);
  const order = await findOrder(replay.order, enclave.db);
  const found =
    order === undefined ? undefined : findTrackOf(order.document.season, order.document.track, enclave);
  const asset =
    found === undefined
      ? undefined
      : baseAssets(found.track).find((candidate) => candidate.sha256 === sha256);
  const loaded = asset === undefined ? undefined : found?.loaded.assets.get(asset.path);
  if (loaded === undefined) throw unknown();
  return loaded.bytes;
}

function baseAssets({ base }: Track) {
  switch (base.kind) {
    case 'preview':
      return [];
    case 'safetensors':
      return [base.facts, base.chatTemplate];
    case 'gguf':
      return [base.facts, base.header, base.chatTemplate];
  }
}
