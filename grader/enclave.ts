import type { Vault } from '@vtb/db/vault/connect.ts';
import type { IdKind } from '@vtb/protocol/ids.ts';
import type { SigningKey, TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import type { JWK } from 'jose';
import type { Bell } from './bell.ts';
import type { ComparedColumn } from './comparisons/comparedColumn.ts';
import type { Log } from './log.ts';
import type { Spool } from './spool.ts';
import type { SplitVault } from './vault/splitVault.ts';

/** Everything the grader works with, put together once in main.ts. */
export interface Enclave {
  readonly db: Vault;
  /** The embedded database of a try-out on one machine: only over it may replays be weakly isolated. */
  readonly isVaultEmbedded: boolean;
  readonly vault: SplitVault;
  readonly spool: Spool;
  /** The grader's own copies of systems' chunks: outside the spool, so nobody else can change them. */
  readonly systems: string;
  readonly seasons: ReadonlyMap<string, LoadedSeason>;
  readonly signingKey: SigningKey;
  /** The gateway's keys, pinned. */
  readonly gatewayKeys: TrustedKeys;
  /** Whom the maintainers' part is encrypted to: an X25519 public key. */
  readonly maintainerKey: JWK;
  readonly now: () => Date;
  readonly newId: (kind: IdKind) => string;
  readonly log: Log;
  /** Rings when a step may have become possible. */
  readonly bell: Bell;
  /** Pair tests of the lists that are ranked now: only saves work, may be lost. One column for each ranked list. */
  readonly columns: Map<string, RankedColumn>;
  readonly limits: Limits;
}

/** A ranked list's column, and how many pairs are tested in one step. */
export interface RankedColumn {
  readonly systems: readonly string[];
  readonly column: ComparedColumn;
  readonly pairsMax: number;
}

/** The grader's bounds; config.ts reads them. */
export interface Limits {
  /** A replay or trial lease that is not renewed this long is lost. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Claims of one trial at most; when the last lease is lost too, the order fails by our doing. */
  readonly trialAttemptsMax: number;
  /** Replays of one order that end without a resolved trial, at most. */
  readonly fruitlessReplaysMax: number;
  readonly systemBytesMax: number;
  /** At most one progress notice of an order in this time. */
  readonly progressEveryMs: number;
  /** Chunks in the spool that nobody counted on for this long are removed. */
  readonly spoolChunkAgeMs: number;
}

/** What a trial that failed by our doing gets: one more try, with the same seed (replay.md, "Whose fault"). */
export const oursRetriesMax = 1;

/** A track by season and id, with the season it is in. */
export function findTrackOf(
  season: string,
  track: string,
  enclave: Pick<Enclave, 'seasons'>,
): { readonly loaded: LoadedSeason; readonly track: Track } | undefined {
  const loaded = enclave.seasons.get(season);
  const found = loaded?.season.tracks.find((candidate) => candidate.id === track);
  return loaded === undefined || found === undefined ? undefined : { loaded, track: found };
}
