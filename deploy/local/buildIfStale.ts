import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hold, soleHolder } from '@vtb/db/soleHolder.ts';
import { waitFor } from './waitFor.ts';

/** Something that is built into a folder `dist` of a workspace. */
export interface Build {
  /** The workspace's folder. */
  readonly workspace: string;
  /** What the result depends on, from the root. */
  readonly inputs: readonly string[];
  /** Builds; throws when it can't. */
  readonly build: () => Promise<void>;
}

const made = new Set(['node_modules', 'dist', '.astro', 'migrations']);

/**
 * Builds unless the last build was of the same inputs. One process builds at a time: services that start side by side
 * from one clone share a build.
 *
 * returns  whether it built.
 * throws   what the build throws; then the next call builds again.
 */
export async function buildIfStale(root: string, { workspace, inputs, build }: Build): Promise<boolean> {
  const folder = join(root, workspace);
  const hold = await onlyBuilder(folder, workspace);
  try {
    const stamp = join(folder, 'dist', '.inputs');
    const digest = await inputsDigest(root, inputs);
    if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === digest) return false;
    await build();
    await mkdir(join(folder, 'dist'), { recursive: true });
    await writeFile(stamp, digest);
    return true;
  } finally {
    await hold.release();
  }
}

async function onlyBuilder(folder: string, workspace: string): Promise<Hold> {
  let hold: Hold | undefined;
  const take = async () => {
    hold = await soleHolder(folder, 'build');
    return hold !== undefined;
  };
  const signal = new AbortController().signal;
  await waitFor(`another build of ${workspace}`, take, { timeoutMs: 180_000, everyMs: 100, signal });
  if (hold === undefined) throw new Error(`nobody holds ${workspace}`);
  return hold;
}

async function inputsDigest(root: string, inputs: readonly string[]): Promise<string> {
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
