import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, installedBin } from './exec.ts';
import { type CountRules, countsLine, countTests } from './testReport.ts';

/** What `runVitest` takes. */
export interface VitestInput {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Files or folders to run, and vitest's flags; empty runs everything. */
  readonly args: readonly string[];
  readonly rules: Omit<CountRules, 'exitCode'>;
}

/** Runs vitest, prints complaints and then, as the last line, the counts. Returns the exit code. */
export async function runVitest({ root, env, args, rules }: VitestInput): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'vtb-test-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await exec(installedBin(root, 'vitest'), ['run', ...reporters, ...args], {
      cwd: root,
      env,
      words: 'shown',
    });
    const text = await readFile(file, 'utf8').catch(() => '{"testResults":[]}');
    const counts = countTests(JSON.parse(text), { ...rules, exitCode: code });
    for (const complaint of counts.complaints) process.stdout.write(`failed: ${complaint}\n`);
    process.stdout.write(`${countsLine(counts)}\n`);
    return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
