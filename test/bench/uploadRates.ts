import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commitPayload, newHttpRun } from '../service/commitPayload.ts';
import { startGatewayProcess } from '../service/gatewayProcess.ts';
import { newHttpTeam } from '../service/httpTeam.ts';
import { makePayload } from '../service/payload.ts';
import { type PutTarget, putAll } from '../service/putAll.ts';
import { payloadMiB } from './upload/benchConfig.ts';
import { startNginx } from './upload/nginxServer.ts';

const rounds = 4;
const files = 4;

/**
 * Bytes a second into the gateway (token, database, SHA-256, sync to disk) against an unverified `PUT` into the same
 * server library on the same disk: the same chunks, four at a time, in alternating rounds of one run after a round
 * that doesn't count. The median round of each counts.
 */
export async function run() {
  await using service = await startGatewayProcess();
  const folder = join(service.dataDir, 'bench');
  await mkdir(join(folder, 'raw'), { recursive: true });
  const payload = await makePayload({
    folder,
    name: 'rates',
    files,
    fileBytes: (payloadMiB / files) * 2 ** 20,
    chunkBytes: 2 ** 24,
  });
  const team = await newHttpTeam('Bench', service);
  const { target } = await commitPayload(
    { run: await newHttpRun('Rates', team), payload },
    { team, service },
  );
  const raw = fork(join(import.meta.dirname, 'upload/rawServer.ts'), [join(folder, 'raw')]);
  try {
    const [port] = await once(raw, 'message', { signal: AbortSignal.timeout(30_000) });
    const rawTarget: PutTarget = {
      urlOf: ({ sha256 }) => `http://127.0.0.1:${port}/${sha256}`,
      method: 'PUT',
      headers: () => ({}),
      kept: [204],
    };
    await using nginx = await startNginx(join(folder, 'nginx'));
    const nginxTarget: PutTarget = {
      ...rawTarget,
      urlOf: ({ sha256 }) => `${nginx?.url}/${sha256}`,
      kept: [201, 204],
    };
    const times = { verified: [] as number[], raw: [] as number[], nginx: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const [rawMs, verifiedMs, nginxMs] = [
        await putAll(payload.chunks, rawTarget),
        await putAll(payload.chunks, target),
        nginx === null ? Number.NaN : await putAll(payload.chunks, nginxTarget),
      ];
      if (round === 0) continue;
      times.raw.push(rawMs);
      times.verified.push(verifiedMs);
      times.nginx.push(nginxMs);
    }
    const rate = (all: readonly number[]) => payload.bytes / 1e6 / (median(all) / 1000);
    const detail = { payloadMiB, verifiedMBPerSecond: rate(times.verified), rounds };
    const against = (name: string, peer: readonly number[], goal: number) => ({
      name,
      ratio: rate(times.verified) / rate(peer),
      goal,
      detail: { ...detail, peerMBPerSecond: rate(peer) },
    });
    return [
      against('verified upload against a raw PUT', times.raw, 0.8),
      nginx === null
        ? {
            name: 'verified upload against nginx PUT: skipped, needs nginx (apt-get install nginx-light)',
            ratio: null,
            goal: null,
            detail: {},
          }
        : against('verified upload against nginx PUT', times.nginx, 1),
    ];
  } finally {
    raw.kill();
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return ((low ?? 0) + (high ?? 0)) / 2;
}
