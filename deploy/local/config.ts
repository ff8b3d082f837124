import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Databases of the operator's own, a URL per use. */
export interface GivenDatabases {
  readonly publicApp: string;
  readonly publicOwner: string;
  readonly publicRead: string;
  readonly vaultApp: string;
  readonly vaultOwner: string;
}

/** What the supervisor was told, parsed once. */
export interface LocalConfig {
  readonly root: string;
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly seasons: readonly string[];
  /** The folder that holds a folder per season. */
  readonly seasonsDir: string;
  readonly sandbox: 'auto' | 'docker' | 'none';
  readonly demo: 'auto' | 'off';
  /** Undefined: the embedded server serves. */
  readonly databases: GivenDatabases | undefined;
  /** Sentences for the operator about what was left out. */
  readonly warnings: readonly string[];
  /** What every process gets of our own environment; nothing secret. */
  readonly passed: Readonly<Record<string, string>>;
}

const url = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

const environment = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  VTB_DATA: z.string().min(1).default('.vtb'),
  VTB_SEASONS: z
    .string()
    .regex(/^[a-z0-9-]+(,[a-z0-9-]+)*$/, 'must be season ids, separated by commas')
    .default('vibetraining-bench,pocket'),
  VTB_SEASONS_DIR: z.string().min(1).default('seasons'),
  VTB_SANDBOX: z.enum(['auto', 'docker', 'none']).default('auto'),
  VTB_DEMO: z.enum(['auto', 'off']).default('auto'),
  DATABASE_URL: url.optional(),
  DATABASE_OWNER_URL: url.optional(),
  SITE_DATABASE_URL: url.optional(),
  VAULT_DATABASE_URL: url.optional(),
  VAULT_OWNER_URL: url.optional(),
});

/** Bounds that the processes read themselves, each with its default and its reason in that process's config. */
const bounds = ['VTB_LEASE_MS', 'VTB_HEARTBEAT_MS', 'VTB_FREE_BYTES_MIN'] as const;

type Environment = z.infer<typeof environment>;

/**
 * Reads the supervisor's environment. Empty variables count as absent.
 *
 * throws  Error with one line per problem.
 */
export function parseConfig(
  root: string,
  variables: Readonly<Record<string, string | undefined>>,
): LocalConfig {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
    );
  }
  const env = parsed.data;
  const databases = givenDatabases(env);
  return {
    root,
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(root, env.VTB_DATA),
    seasons: [...new Set(env.VTB_SEASONS.split(','))],
    seasonsDir: resolve(root, env.VTB_SEASONS_DIR),
    sandbox: env.VTB_SANDBOX,
    demo: databases === undefined ? env.VTB_DEMO : 'off',
    databases,
    warnings: databases === undefined ? [] : ownerWarnings(env),
    passed: pick(given, ['PATH', 'HOME', 'LANG', 'TMPDIR', 'DOCKER_HOST', 'CI', ...bounds]),
  };
}

/** Where the service answers. */
export function publicUrl(config: Pick<LocalConfig, 'host' | 'port'>): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
}

/** A path in the data folder. */
export function inData(config: Pick<LocalConfig, 'dataDir'>, ...parts: readonly string[]): string {
  return join(config.dataDir, ...parts);
}

function givenDatabases(env: Environment): GivenDatabases | undefined {
  if (env.DATABASE_URL === undefined && env.VAULT_DATABASE_URL === undefined) return undefined;
  if (env.DATABASE_URL === undefined || env.VAULT_DATABASE_URL === undefined) {
    throw new Error(
      'DATABASE_URL and VAULT_DATABASE_URL go together: give both, or neither for the embedded server',
    );
  }
  return {
    publicApp: env.DATABASE_URL,
    publicOwner: env.DATABASE_OWNER_URL ?? env.DATABASE_URL,
    publicRead: env.SITE_DATABASE_URL ?? env.DATABASE_URL,
    vaultApp: env.VAULT_DATABASE_URL,
    vaultOwner: env.VAULT_OWNER_URL ?? env.VAULT_DATABASE_URL,
  };
}

function ownerWarnings(env: Environment): string[] {
  const uses = [
    ['DATABASE_OWNER_URL', 'the gateway’s own role also migrates'],
    ['SITE_DATABASE_URL', 'the site reads with the gateway’s role'],
    ['VAULT_OWNER_URL', 'the grader’s own role also migrates'],
  ] as const;
  return uses
    .filter(([name]) => env[name] === undefined)
    .map(([name, what]) => `${name} is not given: ${what}`);
}

function pick(
  given: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
