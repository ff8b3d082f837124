import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingSchema, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import { afterAll, expect, test } from 'vitest';
import { commitPayload, newHttpRun, type PendingUpload } from '../service/commitPayload.ts';
import { startGatewayProcess } from '../service/gatewayProcess.ts';
import { newHttpTeam } from '../service/httpTeam.ts';
import { makePayload, type Payload, type PayloadChunk } from '../service/payload.ts';
import { putAll } from '../service/putAll.ts';

const gateway = await startGatewayProcess();
const folder = await mkdtemp(join(tmpdir(), 'vtb-faults-'));
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
const team = await newHttpTeam('Faults', gateway);
const run = await newHttpRun('Faults', team);
const nothing = { kept: [], incoming: [] };

async function upload(chunkBytes = 600_000): Promise<{ payload: Payload; pending: PendingUpload }> {
  const name = randomBytes(4).toString('hex');
  const payload = await makePayload({ folder, name, files: 2, fileBytes: 1_500_000, chunkBytes });
  return { payload, pending: await commitPayload({ run, payload }, { team, service: gateway }) };
}

const missing = async ({ id }: PendingUpload): Promise<string[]> =>
  (await team.get(`/submissions/${id}/missing`, missingSchema)).missing.toSorted();
const digests = ({ chunks }: Payload) => chunks.map(({ sha256 }) => sha256).toSorted();
const bytesOf = async ({ path, offset, size }: PayloadChunk) =>
  (await readFile(path)).subarray(offset, offset + size);

/** What of a payload the store's disk holds, and what lies there half-written. */
async function onDisk(payload: Payload) {
  const root = join(gateway.dataDir, 'gateway/chunks');
  const kept: string[] = [];
  for (const { sha256 } of payload.chunks) {
    const bytes = await readFile(join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256)).catch(
      () => null,
    );
    if (bytes === null) continue;
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    kept.push(sha256);
  }
  const incoming = (await readdir(join(root, 'incoming'))).filter((name) =>
    payload.chunks.some(({ sha256 }) => name.startsWith(sha256)),
  );
  return { kept, incoming };
}

interface Sending {
  readonly pending: PendingUpload;
  readonly chunk: PayloadChunk;
  readonly body: readonly Buffer[];
  /** Content-Length; null: chunked. */
  readonly announced: number | null;
  /** Breaks the connection after the body's parts instead of ending it. */
  readonly cut: boolean;
}

/** Sends a body by hand. returns the status and code, or null when the connection broke without an answer. */
function send({
  pending,
  chunk,
  body,
  announced,
  cut,
}: Sending): Promise<{ status: number; code: string } | null> {
  const { target } = pending;
  const headers: Record<string, string> = { ...target.headers(chunk) };
  if (announced !== null) headers['content-length'] = String(announced);
  return new Promise((resolve) => {
    const sending = request(target.urlOf(chunk), { method: 'PUT', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, code: text === '' ? '' : JSON.parse(text).code }),
      );
    });
    sending.on('error', () => resolve(null));
    sending.flushHeaders();
    const parts = [...body];
    const next = () => {
      const part = parts.shift();
      if (part !== undefined) sending.write(part, next);
      else if (cut) sending.destroy();
      else sending.end();
    };
    next();
  });
}

async function finishes({ payload, pending }: { payload: Payload; pending: PendingUpload }): Promise<void> {
  const left = await missing(pending);
  await putAll(
    payload.chunks.filter(({ sha256 }) => left.includes(sha256)),
    pending.target,
  );
  expect(await missing(pending)).toEqual([]);
  const sealed = await team.post(`/submissions/${pending.id}/seal`, {}, submissionSchema);
  expect(sealed).toMatchObject({ bytesArrived: payload.bytes });
  expect((await onDisk(payload)).kept.toSorted()).toEqual(digests(payload));
}

test.each([
  ['after the headers', 0],
  ['after the first byte', 1],
  ['in the middle', 300_000],
  ['one byte before the end', 599_999],
])('an upload cut %s leaves nothing behind, and asking again completes it', async (_stage, bytes) => {
  const { payload, pending } = await upload();
  const chunk = payload.chunks[1];
  if (chunk === undefined) throw new Error('no chunk');
  const body = [(await bytesOf(chunk)).subarray(0, bytes)].filter(({ length }) => length > 0);
  expect(await send({ pending, chunk, body, announced: chunk.size, cut: true })).toBeNull();
  await expect.poll(() => onDisk(payload)).toEqual(nothing);
  expect(await missing(pending)).toEqual(digests(payload));
  await finishes({ payload, pending });
});

test('wrong, short, oversized and foreign bytes are refused by their codes, nothing of them is kept, and the right ones still go in', async () => {
  const { payload, pending } = await upload();
  const [, chunk, other] = payload.chunks;
  if (chunk === undefined || other === undefined) throw new Error('no chunks');
  const [right, foreign] = [await bytesOf(chunk), await bytesOf(other)];
  const flipped = Buffer.from(right);
  flipped[chunk.size - 1] = (flipped[chunk.size - 1] ?? 0) ^ 1;
  const tried = { pending, chunk, cut: false };
  const refused = (code: string) => ({ status: 422, code });
  expect(await send({ ...tried, body: [flipped], announced: chunk.size })).toEqual(refused('chunk.mismatch'));
  expect(await send({ ...tried, body: [foreign], announced: chunk.size })).toEqual(refused('chunk.mismatch'));
  expect(await send({ ...tried, body: [right.subarray(1)], announced: null })).toEqual(refused('chunk.size'));
  expect(await send({ ...tried, body: [right], announced: chunk.size + 1, cut: true })).not.toMatchObject({
    status: 204,
  });
  const tooLong = await send({ ...tried, body: [right, Buffer.alloc(2_000_000)], announced: null });
  if (tooLong !== null) expect(tooLong).toEqual(refused('chunk.size'));
  expect(await onDisk(payload)).toEqual(nothing);
  expect(await missing(pending)).toEqual(digests(payload));
  await finishes({ payload, pending });
});

test('chunks in any order, several times and by two clients at once make one right submission', async () => {
  const { payload, pending } = await upload(100_000);
  const backwards = payload.chunks.toReversed();
  await Promise.all([
    putAll(payload.chunks, pending.target),
    putAll(backwards, pending.target),
    putAll([...payload.chunks, ...payload.chunks], pending.target),
  ]);
  expect(await onDisk(payload)).toMatchObject({ incoming: [] });
  await finishes({ payload, pending });
});

test('a submission with a chunk missing is not sealed, and says which', async () => {
  const { payload, pending } = await upload();
  const [last, ...others] = payload.chunks.toReversed();
  await putAll(others, pending.target);
  await expect(team.post(`/submissions/${pending.id}/seal`, {}, submissionSchema)).rejects.toThrow(
    new RegExp(`409.*upload\\.incomplete.*${last?.sha256}`, 's'),
  );
  await finishes({ payload, pending });
});

test('a gateway killed in the middle of uploads has, after its restart, what it said it had, and the rest is sent again', async () => {
  const { payload, pending } = await upload(100_000);
  const half = payload.chunks.slice(0, 8);
  await putAll(half, pending.target);
  const [under, ...waiting] = payload.chunks.slice(8);
  if (under === undefined) throw new Error('no chunk');
  const bytes = await bytesOf(under);
  // One stands half-way in; the others run into the kill.
  const standing = send({
    pending,
    chunk: under,
    body: [bytes.subarray(0, 50_000)],
    announced: bytes.length,
    cut: false,
  });
  await expect.poll(async () => (await onDisk(payload)).incoming.length).toBeGreaterThan(0);
  const running = putAll(waiting, pending.target).catch(() => null);
  await gateway.kill();
  expect(await standing).toBeNull();
  await running;
  await gateway.start();
  const left = await missing(pending);
  expect(left).not.toContain(half[0]?.sha256);
  expect(left).toContain(under.sha256);
  const { kept } = await onDisk(payload);
  for (const { sha256 } of payload.chunks) if (!left.includes(sha256)) expect(kept).toContain(sha256);
  await finishes({ payload, pending });
});

test('none of this looked like a fault of ours in the log', async () => {
  expect((await gateway.log()).split('\n').filter((line) => /"event":"(bug|failed)"/.test(line))).toEqual([]);
});
