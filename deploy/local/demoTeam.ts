/**
 * The example team of a new installation: submits the pocket season's two systems through the public door, by the
 * same command line that any team uses. What came back from each step is kept in the data folder's `demo`, so that
 * a second run goes on where the first one stopped.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { soleHolder } from '@vtb/db/soleHolder.ts';
import { z } from 'zod';
import { log } from './log.ts';
import { type VtbDeps, vtb } from './vtb.ts';

/** The systems of the pocket season, in the order in which they are submitted; each names its entry. */
export const demoSystems = ['initial', 'tuned'] as const;

/** What `submitDemo` takes: where the service is, and the folder of the machine it runs on. */
export interface DemoInput {
  readonly root: string;
  readonly url: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Submits both systems as finals, unless that is done already.
 *
 * returns  false when another process is at it now.
 * throws   Error with the command line's own words when a step is refused.
 */
export async function submitDemo(input: DemoInput, signal: AbortSignal): Promise<boolean> {
  const folder = join(input.dataDir, 'demo');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const hold = await soleHolder(folder, 'demo');
  if (hold === undefined) return false;
  try {
    await submitAll(input, folder, signal);
  } finally {
    await hold.release();
  }
  return true;
}

async function submitAll(input: DemoInput, folder: string, signal: AbortSignal): Promise<void> {
  const once = step(folder);
  const deps = (token: string): VtbDeps => {
    const env = { ...input.env, VTB_URL: input.url, VTB_TOKEN: token };
    return { root: input.root, env, signal };
  };
  const owner = deps((await readFile(join(input.dataDir, 'owner.token'), 'utf8')).trim());
  const team = await once('team', made, () => run(['team', 'create', 'Example team'], owner));
  const scopes = ['--scopes', 'submit,read', '--label', 'example team'];
  const token = await once('token', issued, () =>
    run(['token', 'create', '--team', team.id, ...scopes], owner),
  );
  const member = deps(token.token);
  for (const name of demoSystems) {
    const system = join(input.root, 'seasons', 'pocket', 'systems', name);
    const entry = await once(`entry-${name}`, made, () =>
      run(['entry', 'create', '--team', team.id, '--season', 'pocket', '--agent', name], member),
    );
    const opened = await once(`run-${name}`, made, () =>
      run(['run', 'start', '--entry', entry.id, '--track', 'wordmath'], member),
    );
    await once(`submission-${name}`, made, () =>
      run(['submit', system, '--run', opened.id, '--purpose', 'final'], member),
    );
  }
  await writeFile(join(folder, 'done'), '');
}

const made = z.object({ id: z.string() });
const issued = z.object({ token: z.string() });

type Step = <T>(name: string, schema: z.ZodType<T>, work: () => Promise<unknown>) => Promise<T>;

/** Does each named step once: what it returned is read back the next time. */
function step(folder: string): Step {
  return async (name, schema, work) => {
    const path = join(folder, `${name}.json`);
    const kept = await readFile(path, 'utf8').catch(() => undefined);
    if (kept !== undefined) return schema.parse(JSON.parse(kept));
    const answer = await work();
    await writeFile(`${path}.new`, JSON.stringify(answer), { mode: 0o600 });
    await rename(`${path}.new`, path);
    return schema.parse(answer);
  };
}

async function run(args: readonly string[], deps: VtbDeps): Promise<unknown> {
  const answer = await vtb(args, deps);
  if (answer.kind === 'done') return answer.document;
  throw new Error(`vtb ${args.join(' ')} ended with code ${answer.code}: ${answer.said}`);
}

if (import.meta.main) {
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  const { VTB_URL: url = '', VTB_DATA: dataDir = '', ...rest } = process.env;
  const env = Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  const input = { root: dirname(dirname(import.meta.dirname)), url, dataDir, env };
  await submitDemo(input, stopping.signal).catch((error: Error) => {
    log('demo', { failed: error.message.slice(0, 2_000) });
    process.exitCode = 1;
  });
}
