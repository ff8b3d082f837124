import type { Db, PublicDatabase } from '@vtb/db/public/connect.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import type { ChunkStore } from './chunks/store.ts';
import type { EventHub } from './events/hub.ts';
import type { GatewayKeys } from './identity/keys.ts';

/** Writes one JSON line: what happened, and facts about it; never task text, tokens or keys. */
export type Log = (event: string, facts?: Readonly<Record<string, string | number | boolean | null>>) => void;

/** Everything the gateway's actions work with. Made once in main.ts; tests make their own. */
export interface Deps {
  readonly db: Db;
  readonly sql: PublicDatabase['sql'];
  readonly now: () => Date;
  /** Bytes from a cryptographic source. */
  readonly random: (count: number) => Uint8Array;
  readonly chunks: ChunkStore;
  readonly keys: GatewayKeys;
  /** By id, in the order of the configuration. */
  readonly seasons: ReadonlyMap<string, LoadedSeason>;
  readonly hub: EventHub;
  /** Aborts when this process is to stop: what waits lets go. */
  readonly stopping: AbortSignal;
  readonly log: Log;
}
