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
  /** The clone that this command line is part of; null for the bundled file. */
  readonly root: string | null;
  /** The folder that holds a folder per season; null where there is none: then the service says what a track's rules are. */
  readonly seasonsDir: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads the environment; empty variables count as absent. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): CliConfig {
  const value = (name: string) => environment[name] || null;
  // The bundled file is one .mjs.
  const root = import.meta.url.endsWith('.ts') ? fileURLToPath(new URL('../', import.meta.url)) : null;
  const configHome = value('XDG_CONFIG_HOME') ?? join(homedir(), '.config');
  return {
    url: value('VTB_URL'),
    token: value('VTB_TOKEN'),
    loginFile: join(configHome, 'vtb', 'login.json'),
    dataDir: resolve(root ?? '', value('VTB_DATA') ?? '.vtb'),
    root,
    seasonsDir: value('VTB_SEASONS_DIR') ?? (root === null ? null : join(root, 'seasons')),
    environment,
  };
}

/** Seasons that a clone serves unless told otherwise. */
export function readSeasonIds({ environment }: Pick<CliConfig, 'environment'>): readonly string[] {
  return (environment.VTB_SEASONS || 'vibetraining-bench,pocket').split(',').map((id) => id.trim());
}
