import { open } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { PayloadChunk } from './payload.ts';

/** Where the bytes of a chunk go. */
export interface PutTarget {
  readonly urlOf: (chunk: PayloadChunk) => string;
  readonly method: string;
  readonly headers: (chunk: PayloadChunk) => Readonly<Record<string, string>>;
  /** The statuses that mean the bytes are kept. */
  readonly kept: readonly number[];
}

/** As many at once as `vtb submit` sends. */
export const parallelUploads = 4;

/** Sends every chunk once, a few at a time; returns the milliseconds that it took. throws when one is not kept. */
export async function putAll(
  chunks: readonly PayloadChunk[],
  target: PutTarget,
  parallel: number = parallelUploads,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const queue = [...chunks];
  const started = performance.now();
  const worker = async () => {
    for (let chunk = queue.shift(); chunk !== undefined; chunk = queue.shift())
      await putOne(chunk, target, agent);
  };
  try {
    await Promise.all(Array.from({ length: parallel }, worker));
  } finally {
    agent.destroy();
  }
  return performance.now() - started;
}

async function putOne(chunk: PayloadChunk, target: PutTarget, agent: Agent): Promise<void> {
  const body = Buffer.allocUnsafe(chunk.size);
  await using file = await open(chunk.path, 'r');
  await file.read(body, 0, chunk.size, chunk.offset);
  const { method, kept } = target;
  const headers = { ...target.headers(chunk), 'content-length': String(chunk.size) };
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sending = request(target.urlOf(chunk), { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text = (text + part).slice(0, 2_000);
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(body);
  });
  if (!kept.includes(status)) throw new Error(`${target.urlOf(chunk)} answered ${status}: ${text}`);
}
