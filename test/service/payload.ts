import { createHash, randomFillSync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** A chunk of a made-up file, and where its bytes lie. */
export interface PayloadChunk {
  readonly sha256: string;
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/** Files of random bytes on disk, cut as weights are, with the manifest that names them. */
export interface Payload {
  readonly chunks: readonly PayloadChunk[];
  readonly bytes: number;
  readonly manifest: {
    readonly schema: 1;
    readonly track: string;
    readonly edits: readonly string[];
    readonly files: readonly PayloadFile[];
  };
}

interface PayloadFile {
  readonly path: string;
  readonly role: string;
  readonly size: number;
  readonly chunks: readonly { readonly sha256: string; readonly size: number }[];
}

/** Makes `files` files of `fileBytes` bytes each, in chunks of `chunkBytes`, below a folder, and the small description that every system has. */
export async function makePayload(wanted: {
  readonly folder: string;
  readonly name: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly chunkBytes: number;
}): Promise<Payload> {
  const { folder, name, files, fileBytes, chunkBytes } = wanted;
  const listed: PayloadFile[] = [];
  const chunks: PayloadChunk[] = [];
  const add = async (path: string, role: string, pieces: AsyncIterable<Buffer> | readonly Buffer[]) => {
    const onDisk = join(folder, `${name}-${path.replaceAll('/', '-')}`);
    await using file = await open(onDisk, 'w');
    const cut: PayloadChunk[] = [];
    for await (const piece of pieces) {
      await file.write(piece);
      const offset = cut.reduce((sum, { size }) => sum + size, 0);
      const sha256 = digestOf(piece);
      cut.push({ sha256, path: onDisk, offset, size: piece.length });
    }
    chunks.push(...cut);
    const size = cut.reduce((sum, chunk) => sum + chunk.size, 0);
    listed.push({ path, role, size, chunks: cut.map(({ sha256, size }) => ({ sha256, size })) });
  };
  await add('system.toml', 'description', [Buffer.from(`track = "wordmath"\nname = "${name}"\n`)]);
  for (let index = 0; index < files; index++)
    await add(`weights/part-${index}.gguf`, 'weights', randomPieces(fileBytes, chunkBytes));
  return {
    chunks,
    bytes: chunks.reduce((sum, { size }) => sum + size, 0),
    manifest: { schema: 1, track: 'wordmath', edits: ['data'], files: listed },
  };
}

async function* randomPieces(bytes: number, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= pieceBytes)
    yield randomFillSync(Buffer.allocUnsafe(Math.min(left, pieceBytes)));
}

/** The same files with a share of their full chunks changed, spread evenly. */
export async function changedPayload(
  before: Payload,
  wanted: { readonly folder: string; readonly name: string; readonly share: number },
): Promise<Payload> {
  const step = Math.round(1 / wanted.share);
  const changed = new Map<string, PayloadChunk>();
  const path = join(wanted.folder, `${wanted.name}-changed`);
  await using file = await open(path, 'w');
  let offset = 0;
  for (const [index, { sha256, size }] of before.chunks.entries()) {
    if (index % step !== 1) continue;
    const bytes = randomFillSync(Buffer.allocUnsafe(size));
    await file.write(bytes);
    changed.set(sha256, { sha256: digestOf(bytes), path, offset, size });
    offset += size;
  }
  const now = (chunk: { readonly sha256: string; readonly size: number }) => {
    const { sha256, size } = changed.get(chunk.sha256) ?? chunk;
    return { sha256, size };
  };
  return {
    bytes: before.bytes,
    chunks: before.chunks.map((chunk) => changed.get(chunk.sha256) ?? chunk),
    manifest: {
      ...before.manifest,
      files: before.manifest.files.map((one) => ({ ...one, chunks: one.chunks.map(now) })),
    },
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
