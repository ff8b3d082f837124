import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Hold, soleHolder } from '@vtb/db/soleHolder.ts';
import { waitFor } from './waitFor.ts';

/** What the built pages depend on, beside the packages that the lock names. */
const inputs = ['site', 'protocol', 'seasons', 'db/public', 'package-lock.json'];
const made = new Set(['node_modules', 'dist', '.astro', 'migrations']);

/**
 * Builds the site unless the last build was of the same inputs. One process builds at a time: services that start side
 * by side from one clone share its build.
 *
 * returns  whether it built.
 * throws   Error with Astro's own words when the build fails.
 */
export async function buildSite(root: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const hold = await onlyBuilder(join(root, 'site'));
  try {
    return await buildAlone(root, env);
  } finally {
    await hold.release();
  }
}

async function onlyBuilder(folder: string): Promise<Hold> {
  let hold: Hold | undefined;
  const take = async () => {
    hold = await soleHolder(folder, 'build');
    return hold !== undefined;
  };
  const signal = new AbortController().signal;
  await waitFor('another build of the site', take, { timeoutMs: 180_000, everyMs: 100, signal });
  if (hold === undefined) throw new Error('nobody holds the site');
  return hold;
}

async function buildAlone(root: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const stamp = join(root, 'site', 'dist', '.inputs');
  const digest = await inputsDigest(root);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === digest) return false;
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
  await writeFile(stamp, digest);
  return true;
}

const run = promisify(execFile);

async function inputsDigest(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const path of await filesUnder(root, input)) {
      hash.update(
        `${path}\n${createHash('sha256')
          .update(await readFile(join(root, path)))
          .digest('hex')}\n`,
      );
    }
  }
  return hash.digest('hex');
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  if (/\.(test\.ts|gguf)$/.test(path)) return [];
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return undefined;
      throw error;
    },
  );
  if (entries === undefined) return [path];
  const names = entries.filter((entry) => !made.has(entry.name)).map((entry) => entry.name);
  const nested = await Promise.all(names.sort().map((name) => filesUnder(root, `${path}/${name}`)));
  return nested.flat();
}
