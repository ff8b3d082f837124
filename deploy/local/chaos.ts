/** `npm run chaos`: the long proofs. The same tests as in the suite, at many more instants (test/testConfig.ts). */
import { dirname } from 'node:path';
import { readAllowedSkips } from './readAllowedSkips.ts';
import { runVitest } from './vitest.ts';

const root = dirname(dirname(import.meta.dirname));
const fullSetup = process.getuid?.() === 0 || process.env.CI === 'true';
const rules = { allowedSkips: await readAllowedSkips(root), fullSetup };
const args = ['test/chaos', '--testTimeout=3600000', ...process.argv.slice(2)];
process.exitCode = await runVitest({ root, env: { ...process.env, VTB_CHAOS: 'long' }, args, rules });
if (process.connected) process.disconnect();
