/**
 * `npm run demo`: against a service that was started here, waits until the pocket season's two example systems
 * stand on the board, and prints it. Submits them where the first start didn't (VTB_DEMO=off, own databases).
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { inData, type LocalConfig, parseConfig, publicUrl } from './config.ts';
import { demoSystems, submitDemo } from './demoTeam.ts';
import { type VtbDeps, vtb } from './vtb.ts';
import { answersOk, waitFor } from './waitFor.ts';

const waitMs = 20 * 60_000;

async function demo(config: LocalConfig, signal: AbortSignal): Promise<void> {
  const url = process.env.VTB_URL || publicUrl(config);
  if (!(await answersOk(`${url}/readyz`))) {
    throw new Error(`no service is ready at ${url}: run npm start first, or name it with VTB_URL`);
  }
  if (!existsSync(inData(config, 'demo', 'done'))) {
    process.stderr.write('submitting the two systems of the pocket season …\n');
    const input = { root: config.root, url, dataDir: config.dataDir, env: config.passed };
    await waitFor('the submission', () => submitDemo(input, signal), {
      timeoutMs: waitMs,
      everyMs: 1_000,
      signal,
    });
  }
  process.stderr.write(`graded live at ${url}; waiting for the rows …\n`);
  const deps: VtbDeps = { root: config.root, env: { ...config.passed, VTB_URL: url }, signal };
  const entries = await Promise.all(demoSystems.map((name) => entryOf(config, name)));
  await waitFor('the rows', () => areReplayed(entries, deps), { timeoutMs: waitMs, everyMs: 2_000, signal });
  const board = await vtb(['board', '--season', 'pocket', '--format', 'md'], deps);
  if (board.kind === 'failed') throw new Error(board.said);
  process.stdout.write(`${z.object({ text: z.string() }).parse(board.document).text.trimEnd()}\n`);
}

const boardSchema = z.object({
  rows: z.array(z.object({ id: z.string(), cells: z.record(z.string(), z.object({ kind: z.string() })) })),
});

async function areReplayed(entries: readonly string[], deps: VtbDeps): Promise<boolean> {
  const answer = await vtb(['board', '--season', 'pocket'], deps);
  if (answer.kind === 'failed') throw new Error(answer.said);
  const { rows } = boardSchema.parse(answer.document);
  return entries.every((entry) =>
    rows.some(({ id, cells }) => id === entry && cells.wordmath?.kind === 'replayed'),
  );
}

async function entryOf(config: LocalConfig, name: string): Promise<string> {
  const kept = await readFile(inData(config, 'demo', `entry-${name}.json`), 'utf8');
  return z.object({ id: z.string() }).parse(JSON.parse(kept)).id;
}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
try {
  await demo(parseConfig(dirname(dirname(import.meta.dirname)), process.env), stopping.signal);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
