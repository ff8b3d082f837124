import { createServer, type Server } from 'node:http';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { heartbeatSchema } from '@vtb/protocol/wire/desk.ts';
import { afterEach, expect, test } from 'vitest';
import { runnerIdOf } from '../enrolment.ts';
import { deskAddress } from './deskAddress.ts';
import { deskClient } from './deskClient.ts';
import { type Heart, LeaseLost, startHeart } from './heart.ts';
import { runnerTokens } from './runnerToken.ts';

const replay = 'rpl_abcdefghijkmnpqrstuv';
const trial = 'tri_abcdefghijkmnpqrstuv';
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Reply = { readonly status: number; readonly body: unknown } | 'silence';

/** A desk that answers heartbeats one after another as listed, the last one for ever. */
async function beating(
  replies: readonly Reply[],
  lease: { readonly leaseMs: number; readonly heartbeatMs: number },
) {
  const beats: unknown[] = [];
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    beats.push(heartbeatSchema.parse(JSON.parse(text)));
    const reply = replies[Math.min(beats.length, replies.length) - 1];
    if (reply !== undefined && reply !== 'silence')
      response
        .writeHead(reply.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const key = await newSigningKey();
  const desk = deskClient({
    address: deskAddress({ kind: 'url', url: `http://127.0.0.1:${port}/` }),
    token: runnerTokens({ key, runner: runnerIdOf(key.kid) }, { now: () => new Date() }),
  });
  const heart = startHeart({ replay, fencing: 7, ...lease }, { desk, log: () => {} });
  closers.push(
    () => heart.stop(),
    async () => server.closeAllConnections(),
    async () => server.close(),
  );
  return { heart, beats };
}

const ok = (lost: readonly string[] = []): Reply => ({ status: 200, body: { leaseMs: 60_000, lost } });
const stale: Reply = { status: 409, body: { code: 'lease.stale' } };
const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    const tell = () => resolve(signal.reason);
    if (signal.aborted) tell();
    else signal.addEventListener('abort', tell, { once: true });
  });
const lostOf = (heart: Heart) => aborted(heart.lost);

test('a held trial is renewed with its replay until it is released', async () => {
  const { heart, beats } = await beating([ok(), ok(), stale], { leaseMs: 60_000, heartbeatMs: 20 });
  heart.hold({ id: trial, fencing: 3 });
  await lostOf(heart);
  expect(beats[0]).toEqual({ fencing: 7, trials: [{ trial, fencing: 3 }] });
});

test('a trial that the desk names is lost alone', async () => {
  const { heart } = await beating([ok([trial]), ok()], { leaseMs: 60_000, heartbeatMs: 20 });
  expect(await aborted(heart.hold({ id: trial, fencing: 3 }))).toBeInstanceOf(LeaseLost);
  expect(heart.lost.aborted).toBe(false);
});

test('409 and 404 end everything at once', async () => {
  for (const reply of [stale, { status: 404, body: { code: 'notFound' } }] as const) {
    const { heart } = await beating([reply], { leaseMs: 60_000, heartbeatMs: 20 });
    const held = heart.hold({ id: trial, fencing: 3 });
    expect(await lostOf(heart)).toBeInstanceOf(LeaseLost);
    expect(held.aborted).toBe(true);
    expect(heart.hold({ id: trial, fencing: 4 }).aborted).toBe(true);
  }
});

test('a desk that is silent or broken for the length of the lease has given it away', async () => {
  for (const reply of ['silence', { status: 500, body: {} }] as const) {
    const { heart } = await beating([reply], { leaseMs: 300, heartbeatMs: 50 });
    const startedMs = performance.now();
    expect(await lostOf(heart)).toBeInstanceOf(LeaseLost);
    expect(performance.now() - startedMs).toBeGreaterThan(200);
  }
});
