import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const projectRoot = dirname(dirname(import.meta.dirname));

/**
 * The parts of the project that a child of the runners may read: code and installed packages, never the whole
 * root, because the service's data folder may lie in it.
 */
export function codePaths(): readonly string[] {
  return ['node_modules', 'runners', 'protocol', 'package.json']
    .map((name) => join(projectRoot, name))
    .filter((path) => existsSync(path));
}
