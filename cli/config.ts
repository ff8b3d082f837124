import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the command line finds things; parsed once from the environment. */
export interface CliConfig {
  /** VTB_URL: overrides the saved login. */
  readonly url: string | null;
  /** VTB_TOKEN: overrides the saved login. */
  readonly token: string | null;
  /** Where `login` keeps its file. */
  readonly loginFile: string;
  /** VTB_DATA of a service on this machine, for `login --local` and the process starters. */
  readonly dataDir: string;
  readonly root: string;
  /** The folder that holds a folder per season. */
  readonly seasonsDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads the environment; empty variables count as absent. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): CliConfig {
  const value = (name: string) => environment[name] || null;
  const root = fileURLToPath(new URL('../', import.meta.url));
  const configHome = value('XDG_CONFIG_HOME') ?? join(homedir(), '.config');
  return {
    url: value('VTB_URL'),
    token: value('VTB_TOKEN'),
    loginFile: join(configHome, 'vtb', 'login.json'),
    dataDir: resolve(root, value('VTB_DATA') ?? '.vtb'),
    root,
    seasonsDir: value('VTB_SEASONS_DIR') ?? join(root, 'seasons'),
    environment,
  };
}
