/** `npm test`: sets up what the tests need and runs them all; the last line is the counts. */
import { dirname } from 'node:path';
import { ensureDebianPackages } from './debianPackages.ts';
import { ensureDockerEngine } from './dockerEngine.ts';
import { readAllowedSkips } from './readAllowedSkips.ts';
import { runVitest } from './vitest.ts';

const root = dirname(dirname(import.meta.dirname));
const { env } = process;
const fullSetup = process.getuid?.() === 0 || env.CI === 'true';

await ensureDebianPackages(root, env);
await using _engine = await ensureDockerEngine(env);
const rules = { allowedSkips: await readAllowedSkips(root), fullSetup };
process.exitCode = await runVitest({ root, env, args: process.argv.slice(2), rules });
if (process.connected) process.disconnect();
