import { readFile } from 'node:fs/promises';
import { inData, type LocalConfig } from './config.ts';

/** Whether the grader's desk answers, which it does once its splits are sealed and its database is migrated. */
export async function enclaveReady(config: Pick<LocalConfig, 'dataDir'>): Promise<boolean> {
  try {
    const url = (await readFile(inData(config, 'grader', 'desk.url'), 'utf8')).trim();
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
