/** `npm run check`: format, lint, types, pages and laws, side by side; what fails shows its words. */
import { dirname, join } from 'node:path';
import { exec, installedBin } from './exec.ts';

const root = dirname(dirname(import.meta.dirname));
const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' };
const checks = [
  { name: 'format and lint', bin: 'biome', args: ['check', '.'], cwd: root },
  { name: 'types', bin: 'tsc', args: ['--noEmit', '-p', '.'], cwd: root },
  { name: 'pages', bin: 'astro', args: ['check'], cwd: join(root, 'site') },
  { name: 'laws', bin: 'vitest', args: ['run', 'test/laws'], cwd: root },
] as const;

const results = await Promise.all(
  checks.map(async ({ name, bin, args, cwd }) => {
    const startedAt = performance.now();
    const { code, output } = await exec(installedBin(root, bin), args, { cwd, env, words: 'kept' });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
    return { name, code, output };
  }),
);
for (const { name, code, output } of results) {
  if (code !== 0) process.stdout.write(`\n--- ${name}\n${output.trimEnd()}\n`);
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
if (process.connected) process.disconnect();
