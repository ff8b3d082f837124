import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildIfStale } from './buildIfStale.ts';

/** What the built pages depend on, beside the packages that the lock names. */
const inputs = ['site', 'protocol', 'seasons', 'db/public', 'package-lock.json'];

/**
 * Builds the site unless the last build was of the same inputs.
 *
 * returns  whether it built.
 * throws   Error with Astro's own words when the build fails.
 */
export async function buildSite(root: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  return buildIfStale(root, { workspace: 'site', inputs, build: () => build(root, env) });
}

async function build(root: string, env: Readonly<Record<string, string>>): Promise<void> {
  const manifest = createRequire(join(root, 'site', 'package.json')).resolve('astro/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as {
    readonly bin: { readonly astro: string };
  };
  try {
    await run(process.execPath, [join(dirname(manifest), bin.astro), 'build'], {
      cwd: join(root, 'site'),
      env: { ...env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
      timeout: 180_000,
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause && 'stdout' in cause
        ? `${cause.stdout}${cause.stderr}`
        : '';
    throw new Error(`the site did not build:\n${said.slice(-4_000)}`, { cause });
  }
}

const run = promisify(execFile);
