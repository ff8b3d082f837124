import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@vtb/protocol/ids.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf, seal } from '@vtb/protocol/messages/sealing.ts';
import { afterAll, expect, test } from 'vitest';
import { enterMessage, listMessages, prepareSpool } from '../spool.ts';
import { deliverOnce } from './deliver.ts';
import { gatewayClient } from './gatewayClient.ts';
import { testGateway } from './testKitGateway.ts';

const root = await mkdtemp(join(tmpdir(), 'vtb-compared-'));
const [key, grader] = [await newSigningKey(), await newSigningKey()];
const gateway = await testGateway({ [key.kid]: publicHalf(key) });
afterAll(async () => {
  await gateway.close();
  await rm(root, { recursive: true, force: true });
});
const spool = await prepareSpool(root);
const courier = {
  client: gatewayClient({ url: gateway.url, key, now: () => new Date() }),
  spool,
  now: () => new Date(),
  log: () => undefined,
};

test('a comparison goes in by its own door, stays in the outbox until it is acknowledged, and is sent once', async () => {
  const id = newId('comparison', randomBytes(20));
  const message = await seal('comparison', { verdicts: '=' }, grader);
  await enterMessage('outbox', id, { 'message.jws': message }, spool);
  const signal = new AbortController().signal;
  gateway.intercept = () => new Response(null, { status: 503 });
  await expect(deliverOnce(signal, courier)).rejects.toThrow('503');
  expect(await listMessages('outbox', spool)).toEqual([id]);
  gateway.intercept = () => undefined;
  expect(await deliverOnce(signal, courier)).toBe(1);
  expect(await deliverOnce(signal, courier)).toBe(0);
  expect([[...gateway.comparisons], gateway.notices.size]).toEqual([[message], 0]);
  expect(await listMessages('sent', spool)).toEqual([id]);
});
