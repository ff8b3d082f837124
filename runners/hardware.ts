import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What a host computes with, in printable ASCII and at most 128 characters: GPUs where there are any, and the CPU. */
export function hardwareText(): string {
  const [first, ...others] = cpus();
  const cpu = `${first?.model ?? 'unknown CPU'} x${others.length + 1}`;
  return [...gpuTexts(), cpu]
    .join(' + ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, 128);
}

/** As the NVIDIA driver tells them; where it isn't loaded there are none. */
function gpuTexts(): readonly string[] {
  const folder = '/proc/driver/nvidia/gpus';
  try {
    const models = readdirSync(folder).map(
      (gpu) => /^Model:\s+(.*)$/m.exec(readFileSync(`${folder}/${gpu}/information`, 'utf8'))?.[1] ?? 'GPU',
    );
    return [...new Set(models)].map((model) => `${model} x${models.filter((m) => m === model).length}`);
  } catch {
    return [];
  }
}
