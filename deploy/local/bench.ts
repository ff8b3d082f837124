/** `npm run bench`: runs every file of test/bench that has a `run`, one after another; JSON, then a table. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BenchResult, benchResultsSchema, benchTable } from './benchTable.ts';

const root = dirname(dirname(import.meta.dirname));
const folder = join(root, 'test', 'bench');
const wanted = process.argv.slice(2);
const files = (await readdir(folder))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .sort();

const results: BenchResult[] = [];
for (const file of files) {
  if (wanted.length > 0 && !wanted.some((part) => file.includes(part))) continue;
  const module = (await import(pathToFileURL(join(folder, file)).href)) as Readonly<Record<string, unknown>>;
  if (typeof module.run !== 'function') continue;
  process.stderr.write(`${file} …\n`);
  const answer: unknown = await module.run();
  results.push(...benchResultsSchema.parse(answer));
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n\n${benchTable(results)}\n`);
process.exitCode = results.some(({ ratio, goal }) => ratio !== null && goal !== null && ratio < goal) ? 1 : 0;
if (process.connected) process.disconnect();
