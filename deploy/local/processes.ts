import { join } from 'node:path';
import type { ChildInput } from './child.ts';
import { type GivenDatabases, type LocalConfig, publicUrl } from './config.ts';

/** The processes of one machine, by name. */
export type ProcessName = 'gateway' | 'grader' | 'courier' | 'runner';

/**
 * What each process is started with. Each gets only what it needs: the gateway never learns of the vault, the
 * grader never of the public database, courier and runner of neither.
 */
export function processes(
  config: LocalConfig,
  databases: GivenDatabases,
): Readonly<Record<ProcessName, ChildInput>> {
  const common = { ...config.passed, NODE_ENV: 'production', VTB_DATA: config.dataDir };
  const seasons = { VTB_SEASONS: config.seasons.join(','), VTB_SEASONS_DIR: config.seasonsDir };
  const script = (path: string) => join(config.root, path);
  return {
    gateway: {
      name: 'gateway',
      script: script('gateway/main.ts'),
      args: [],
      restart: 'always',
      env: {
        ...common,
        ...seasons,
        PORT: String(config.port),
        HOST: config.host,
        DATABASE_URL: databases.publicApp,
        DATABASE_OWNER_URL: databases.publicOwner,
        SITE_DATABASE_URL: databases.publicRead,
      },
    },
    grader: {
      name: 'grader',
      script: script('grader/main.ts'),
      args: [],
      restart: 'always',
      env: {
        ...common,
        ...seasons,
        VAULT_DATABASE_URL: databases.vaultApp,
        VAULT_OWNER_URL: databases.vaultOwner,
        VTB_VAULT_EMBEDDED: config.databases === undefined ? '1' : '0',
      },
    },
    courier: {
      name: 'courier',
      script: script('grader/courier/main.ts'),
      args: [],
      restart: 'always',
      env: { ...common, VTB_GATEWAY_URL: publicUrl(config) },
    },
    runner: {
      name: 'runner',
      script: script('runners/main.ts'),
      args: [],
      restart: 'always',
      env: { ...common, VTB_SANDBOX: config.sandbox },
    },
  };
}
