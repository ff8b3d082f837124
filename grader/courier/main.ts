import { readFile } from 'node:fs/promises';
import type { SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { z } from 'zod';
import { newBell } from '../bell.ts';
import { errorFields, stderrLog } from '../log.ts';
import { prepareSpool } from '../spool.ts';
import { stopSignal } from '../stopSignal.ts';
import { type CourierConfig, courierConfig } from './config.ts';
import { backoffMs, type Courier } from './courier.ts';
import { deliverOnce } from './deliver.ts';
import { exportFeed, exportOutbox, importFeed, importOutbox } from './drive.ts';
import { gatewayClient } from './gatewayClient.ts';
import { pullOnce } from './pull.ts';

const now = () => new Date();
const log = stderrLog('courier', now);
const stop = stopSignal();

/** A gateway that doesn't wait for news is not asked without pause. */
const restMs = { brought: 0, nothing: 100, stuck: 5_000 } as const;

try {
  await run(courierConfig());
} catch (error) {
  log('error', 'courier.failed', errorFields(error));
  process.exitCode = 1;
}

async function run(config: CourierConfig): Promise<void> {
  const { errand, gatewayUrl } = config;
  if (errand.kind === 'run') {
    const courier = await courierFor(config.spool, config);
    log('info', 'courier.ready');
    await Promise.all([
      repeat('pull', async () => restMs[await pullOnce(20, stop, courier)]),
      // The outbox is looked at often: nothing tells that a message was put there.
      repeat('deliver', async () => ((await deliverOnce(stop, courier)) > 0 ? 0 : 250)),
    ]);
    return log('info', 'courier.stopped');
  }
  const drive = await prepareSpool(errand.drive);
  if (gatewayUrl !== null) {
    const courier = await courierFor(errand.drive, config);
    await (errand.kind === 'export' ? exportFeed : importOutbox)(stop, courier);
  } else {
    await (errand.kind === 'export' ? exportOutbox : importFeed)(
      drive,
      await prepareSpool(config.spool),
      log,
    );
  }
  log('info', `courier.${errand.kind}ed`);
}

async function courierFor(spool: string, config: CourierConfig): Promise<Courier> {
  if (config.gatewayUrl === null) throw new Error('VTB_GATEWAY_URL is not set');
  const key = await readKey(config.keyPath);
  return {
    client: gatewayClient({ url: config.gatewayUrl, key, now }),
    spool: await prepareSpool(spool),
    now,
    log,
  };
}

/** Works until stopped. `work` says how long to rest; after a failure the rest doubles, up to half a minute. */
async function repeat(name: string, work: () => Promise<number>): Promise<void> {
  const bell = newBell();
  let failures = 0;
  while (!stop.aborted) {
    let restMs: number;
    try {
      restMs = await work();
      failures = 0;
    } catch (error) {
      if (stop.aborted) return;
      restMs = backoffMs(failures, Math.random());
      failures += 1;
      log('warn', `${name}.failed`, { ...errorFields(error), failures, restMs });
    }
    if (restMs > 0) await bell.wait(restMs, stop);
  }
}

async function readKey(path: string): Promise<SigningKey> {
  const schema = z.object({
    kid: z.string().min(1),
    jwk: z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
  });
  return schema.parse(JSON.parse(await readFile(path, 'utf8')));
}
