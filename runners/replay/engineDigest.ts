import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonDigest } from '@vtb/protocol/digest.ts';

/** The installed packages whose code an engine runs, beside ours. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  'llama.cpp': ['node-llama-cpp', `@node-llama-cpp/linux-${process.arch}`],
};

/**
 * Names an engine's code: SHA-256 over the canonical JSON of every file, by path and content, of our engines folder
 * (without tests), and of the packages it runs, with the versions those state. Where they lie doesn't matter.
 *
 * The same code gives the same digest on every host of one processor architecture.
 */
export function engineDigest(engine: string): string {
  const ours = join(import.meta.dirname, '../engines');
  return jsonDigest({
    engine,
    code: treeOf(ours, (path) => path.endsWith('.ts') && !/\.test\.ts$|^conformance\.ts$/.test(path)),
    packages: (packagesOf[engine] ?? []).map((name) => ({ name, ...packageFacts(name) })),
  });
}

function packageFacts(name: string) {
  const root = packageRoot(name);
  return {
    manifest: sha256(join(root, 'package.json')),
    // What is executed: JavaScript, the addon, and the libraries it loads.
    files: treeOf(root, (path) => /^(dist|bins)\/.*\.(js|mjs|cjs|json|node|so(\.[\d.]+)?)$/.test(path)),
  };
}

function packageRoot(name: string): string {
  const entry = dirname(fileURLToPath(import.meta.resolve(name)));
  for (let dir = entry; dir !== dirname(dir); dir = dirname(dir)) {
    if (dir.endsWith(`node_modules/${name}`)) return dir;
  }
  throw new Error(`${name} isn't installed as a package of its own: its entry is in ${entry}`);
}

function treeOf(root: string, isCode: (path: string) => boolean): readonly (readonly [string, string])[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(isCode)
    .sort()
    .map((path) => [path, sha256(join(root, path))] as const);
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
