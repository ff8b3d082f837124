import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { S3StoreConfig } from './chunks/s3.ts';

/** What the gateway is started with. */
export interface GatewayConfig {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  /** Migrates; the application's own role where there is no other. */
  readonly ownerUrl: string;
  /** The site reads with it. */
  readonly readUrl: string;
  readonly seasonsDir: string;
  readonly seasonIds: readonly string[];
  /** The built site. */
  readonly siteEntry: string;
  readonly siteStatic: string;
  /** The built command line. */
  readonly cliBundle: string;
  /** Opens /metrics to whoever sends it; null: to this machine alone. */
  readonly metricsToken: string | null;
  /** Bytes the chunk store leaves free for everything else on its disk. */
  readonly freeBytesMin: number;
  /** Where chunks are kept instead of on this machine's disk; null: here. */
  readonly s3: S3StoreConfig | null;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const url = z.url({ protocol: /^postgres(ql)?$/ });

/** All of them, or none. */
const s3Environment = z.object({
  VTB_S3_ENDPOINT: z.url({ protocol: /^https?$/ }),
  VTB_S3_REGION: z.string().min(1).default('us-east-1'),
  VTB_S3_BUCKET: z.string().min(3),
  VTB_S3_ACCESS_KEY: z.string().min(1),
  VTB_S3_SECRET_KEY: z.string().min(1),
});

const environment = z.object({
  VTB_DATA: z.string().min(1).default('.vtb'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  DATABASE_URL: url,
  DATABASE_OWNER_URL: url.optional(),
  SITE_DATABASE_URL: url.optional(),
  VTB_SEASONS: z.string().default('vibetraining-bench,pocket'),
  VTB_SEASONS_DIR: z.string().default(join(root, 'seasons')),
  VTB_METRICS_TOKEN: z.string().min(16).optional(),
  VTB_FREE_BYTES_MIN: z.coerce
    .number()
    .int()
    .min(0)
    .default(2 * 1024 ** 3),
});

/** Reads the environment, once. throws ZodError naming every variable that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const given = environment.parse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
  );
  return {
    dataDir: resolve(given.VTB_DATA),
    host: given.HOST,
    port: given.PORT,
    databaseUrl: given.DATABASE_URL,
    ownerUrl: given.DATABASE_OWNER_URL ?? given.DATABASE_URL,
    readUrl: given.SITE_DATABASE_URL ?? given.DATABASE_URL,
    seasonsDir: given.VTB_SEASONS_DIR,
    seasonIds: given.VTB_SEASONS.split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
    siteEntry: join(root, 'site', 'dist', 'server', 'entry.mjs'),
    siteStatic: join(root, 'site', 'dist', 'client'),
    cliBundle: join(root, 'cli', 'dist', 'vtb.mjs'),
    metricsToken: given.VTB_METRICS_TOKEN ?? null,
    freeBytesMin: given.VTB_FREE_BYTES_MIN,
    s3: readS3(env),
  };
}

function readS3(env: NodeJS.ProcessEnv): S3StoreConfig | null {
  if (!Object.keys(env).some((name) => name.startsWith('VTB_S3_') && env[name] !== '')) return null;
  const given = s3Environment.parse(env);
  return {
    endpoint: given.VTB_S3_ENDPOINT,
    region: given.VTB_S3_REGION,
    bucket: given.VTB_S3_BUCKET,
    accessKeyId: given.VTB_S3_ACCESS_KEY,
    secretAccessKey: given.VTB_S3_SECRET_KEY,
  };
}
