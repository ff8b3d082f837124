import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Limits } from './enclave.ts';

const milliseconds = z.coerce.number().int().min(1);

const environmentSchema = z.object({
  VTB_DATA: z.string().min(1).default('.vtb'),
  VAULT_DATABASE_URL: z.url(),
  VAULT_OWNER_URL: z.url().optional(),
  /** The vault's database is the embedded one of this machine: a try-out, not a deployment. */
  VTB_VAULT_EMBEDDED: z.enum(['0', '1']).default('0'),
  VTB_SEASONS: z.string().default('vibetraining-bench,pocket'),
  VTB_SEASONS_DIR: z.string().default(fileURLToPath(new URL('../seasons', import.meta.url))),
  VTB_DESK_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Loopback unless TLS is configured: the desk hands out tasks. */
  VTB_DESK_HOST: z.string().default('127.0.0.1'),
  VTB_DESK_TLS_CERT: z.string().optional(),
  VTB_DESK_TLS_KEY: z.string().optional(),
  VTB_LEASE_MS: milliseconds.default(25_000),
  VTB_HEARTBEAT_MS: milliseconds.default(5_000),
  VTB_SYSTEM_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * 1024 ** 3),
});

/** The grader's settings, parsed once. */
export interface GraderConfig {
  readonly vaultUrl: string;
  readonly vaultOwnerUrl: string;
  readonly isVaultEmbedded: boolean;
  readonly seasonsDir: string;
  readonly seasons: readonly string[];
  readonly paths: {
    readonly signingKey: string;
    readonly vaultKey: string;
    readonly gatewayKeys: string;
    readonly runnerKeys: string;
    readonly maintainerKey: string;
    readonly vault: string;
    readonly systems: string;
    readonly spool: string;
    readonly deskUrl: string;
  };
  readonly desk: {
    readonly host: string;
    readonly port: number;
    readonly tls: { readonly cert: string; readonly key: string } | null;
  };
  readonly limits: Limits;
  /** How often the grader looks when nothing rings. */
  readonly lookEveryMs: number;
  readonly sweepEveryMs: number;
  readonly connectionsMax: number;
}

/** Reads the grader's settings. throws ZodError naming every wrong variable, and Error for a desk open to a network without TLS. */
export function readGraderConfig(environment: Readonly<Record<string, string | undefined>>): GraderConfig {
  const env = environmentSchema.parse(environment);
  const data = (...names: string[]) => join(env.VTB_DATA, ...names);
  const tls =
    env.VTB_DESK_TLS_CERT !== undefined && env.VTB_DESK_TLS_KEY !== undefined
      ? { cert: env.VTB_DESK_TLS_CERT, key: env.VTB_DESK_TLS_KEY }
      : null;
  if (tls === null && !/^(127\.|::1$|localhost$)/.test(env.VTB_DESK_HOST)) {
    throw new Error(
      `VTB_DESK_HOST ${env.VTB_DESK_HOST} is not loopback: set VTB_DESK_TLS_CERT and VTB_DESK_TLS_KEY`,
    );
  }
  return {
    vaultUrl: env.VAULT_DATABASE_URL,
    vaultOwnerUrl: env.VAULT_OWNER_URL ?? env.VAULT_DATABASE_URL,
    isVaultEmbedded: env.VTB_VAULT_EMBEDDED === '1',
    seasonsDir: env.VTB_SEASONS_DIR,
    seasons: env.VTB_SEASONS.split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
    paths: {
      signingKey: data('grader/keys/signing.json'),
      vaultKey: data('grader/keys/vault.key'),
      gatewayKeys: data('grader/trust/gateway.jwks.json'),
      runnerKeys: data('grader/trust/runners.jwks.json'),
      maintainerKey: data('grader/trust/maintainer.jwk.json'),
      vault: data('grader/vault'),
      systems: data('grader/systems'),
      spool: data('spool'),
      deskUrl: data('grader/desk.url'),
    },
    desk: { host: env.VTB_DESK_HOST, port: env.VTB_DESK_PORT, tls },
    limits: {
      leaseMs: env.VTB_LEASE_MS,
      heartbeatMs: env.VTB_HEARTBEAT_MS,
      trialAttemptsMax: 5,
      fruitlessReplaysMax: 5,
      systemBytesMax: env.VTB_SYSTEM_BYTES_MAX,
      progressEveryMs: 2_000,
      spoolChunkAgeMs: 6 * 3_600_000,
    },
    lookEveryMs: 300,
    sweepEveryMs: 60_000,
    connectionsMax: 12,
  };
}

/** The settings of this process. */
export function graderConfig(): GraderConfig {
  return readGraderConfig(process.env);
}
