import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildIfStale } from './buildIfStale.ts';

const inputs = ['cli', 'protocol', 'seasons', 'package-lock.json'];

/**
 * Makes cli/dist/vtb.mjs, the command line as one file for Node 20 and newer, unless the last one was of the same inputs.
 *
 * returns  whether it built.
 * throws   esbuild's BuildFailure.
 */
export async function bundleCli(root: string): Promise<boolean> {
  return buildIfStale(root, { workspace: 'cli', inputs, build: () => bundle(root) });
}

async function bundle(root: string): Promise<void> {
  const dist = join(root, 'cli', 'dist');
  await mkdir(dist, { recursive: true });
  const next = join(dist, 'vtb.next.mjs');
  await build({
    entryPoints: [join(root, 'cli', 'bundle.ts')],
    outfile: next,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'eof',
    logLevel: 'silent',
    banner: {
      // Packages in the older module format ask for Node's own modules by `require`.
      js: [
        '#!/usr/bin/env node',
        "import { createRequire as vtbCreateRequire } from 'node:module';",
        'const require = vtbCreateRequire(import.meta.url);',
      ].join('\n'),
    },
  });
  // Whoever reads it meanwhile has the old one whole.
  await rename(next, join(dist, 'vtb.mjs'));
}
