import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitPayload, newHttpRun } from '../service/commitPayload.ts';
import { startGatewayProcess } from '../service/gatewayProcess.ts';
import { newHttpTeam } from '../service/httpTeam.ts';
import { makePayload } from '../service/payload.ts';
import { putAll } from '../service/putAll.ts';
import { payloadMiB } from './upload/benchConfig.ts';

const clients = 64;
const sampleMs = 50;

/** Memory of a gateway with 64 clients at once: the peak of the first half of the bytes over that of the second. */
export async function run() {
  await using gateway = await startGatewayProcess();
  const folder = join(gateway.dataDir, 'bench');
  await mkdir(folder);
  // Several chunks for each client, however small the payload.
  const chunkBytes = Math.max(2 ** 18, Math.min(2 ** 24, (payloadMiB * 2 ** 20) / (clients * 4)));
  const payload = await makePayload({
    folder,
    name: 'crowd',
    files: 4,
    fileBytes: (payloadMiB / 4) * 2 ** 20,
    chunkBytes,
  });
  const team = await newHttpTeam('Crowd', gateway);
  const { target } = await commitPayload(
    { run: await newHttpRun('Crowd', team), payload },
    { team, service: gateway },
  );
  const peaks: number[] = [];
  let half = 0;
  const sampling = setInterval(async () => {
    const at = half;
    peaks[at] = Math.max(peaks[at] ?? 0, await residentMiB(gateway.pid()).catch(() => 0));
  }, sampleMs);
  const middle = Math.ceil(payload.chunks.length / 2);
  try {
    await putAll(payload.chunks.slice(0, middle), target, clients);
    half = 1;
    await putAll(payload.chunks.slice(middle), target, clients);
  } finally {
    clearInterval(sampling);
  }
  const [first = 0, second = 0] = peaks;
  return {
    name: 'memory flat with 64 clients',
    ratio: first / second,
    goal: 1 / 1.1,
    detail: { payloadMiB, chunkBytes, firstHalfPeakMiB: first, secondHalfPeakMiB: second },
  };
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
