import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commitPayload, newHttpRun } from '../service/commitPayload.ts';
import { startGatewayProcess } from '../service/gatewayProcess.ts';
import { newHttpTeam } from '../service/httpTeam.ts';
import { changedPayload, makePayload } from '../service/payload.ts';
import { putAll } from '../service/putAll.ts';
import { payloadMiB } from './upload/benchConfig.ts';

const files = 4;
const changedShare = 0.1;

/** Bytes that a second upload doesn't send again when a tenth of its tensors changed: at least 89 % of the system's. */
export async function run() {
  await using gateway = await startGatewayProcess();
  const folder = join(gateway.dataDir, 'bench');
  await mkdir(folder);
  const fileBytes = (payloadMiB / files) * 2 ** 20;
  const first = await makePayload({ folder, name: 'first', files, fileBytes, chunkBytes: 2 ** 20 });
  const team = await newHttpTeam('Resume', gateway);
  const run = await newHttpRun('Resume', team);
  const deps = { team, service: gateway };
  const { target } = await commitPayload({ run, payload: first }, deps);
  await putAll(first.chunks, target);
  const second = await changedPayload(first, { folder, name: 'second', share: changedShare });
  const again = await commitPayload({ run, payload: second }, deps);
  const sent = second.chunks.filter(({ sha256 }) => again.missing.includes(sha256));
  await putAll(sent, again.target);
  const sentBytes = sent.reduce((sum, { size }) => sum + size, 0);
  return {
    name: 'bytes not sent again, 10 % of tensors changed',
    ratio: 1 - sentBytes / second.bytes,
    goal: 0.89,
    detail: { payloadMiB, sentBytes, systemBytes: second.bytes },
  };
}
