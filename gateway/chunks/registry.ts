import { type DiskStoreConfig, openDiskStore } from './disk.ts';
import type { Intake } from './intake.ts';
import type { ChunkStore } from './store.ts';

/** How a chunk store is opened, by its kind. */
export const chunkStores = {
  disk: openDiskStore,
} as const satisfies Record<
  string,
  (config: DiskStoreConfig, deps: { readonly intake: Intake }) => Promise<ChunkStore>
>;
