import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, superviseChild } from './child.ts';
import { inData, type LocalConfig, publicUrl } from './config.ts';

/**
 * On a new embedded data folder, and after it until done: lets the example team submit through the public door.
 * The folder `demo` in the data folder holds how far it came, so a stop in between loses nothing.
 *
 * returns  undefined when there is nothing to do.
 */
export async function startDemoTeam(config: LocalConfig, isNew: boolean): Promise<Child | undefined> {
  const folder = inData(config, 'demo');
  if (!isNew && !existsSync(folder)) return undefined;
  if (existsSync(join(folder, 'done'))) return undefined;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return superviseChild({
    name: 'demoTeam',
    script: join(config.root, 'deploy', 'local', 'demoTeam.ts'),
    args: [],
    restart: 'onFailure',
    env: { ...config.passed, VTB_URL: publicUrl(config), VTB_DATA: config.dataDir },
  });
}
