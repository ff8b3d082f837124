import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReadLog, readResearchLog } from '@vtb/protocol/researchLog/readResearchLog.ts';
import type { ReadSystem } from './readSystem.ts';

/** The research log that lies in a system's folder; empty where there is none. Its size was checked with the manifest. */
export async function readSystemLog(dir: string, system: Pick<ReadSystem, 'manifest'>): Promise<ReadLog> {
  const file = system.manifest.files.find(({ role }) => role === 'researchLog');
  if (file === undefined) return { lines: [], repeated: 0, problems: [] };
  const read = readResearchLog(await readFile(join(dir, file.path), 'utf8'));
  const problems = read.problems.map((problem) => ({ ...problem, at: `${file.path} ${problem.at}`.trim() }));
  return { ...read, problems };
}
