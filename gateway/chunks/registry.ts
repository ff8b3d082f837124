import { openDiskStore } from './disk.ts';
import type { Intake } from './intake.ts';
import type { S3StoreConfig } from './s3.ts';

/** How a chunk store is opened, by its kind; each passes `chunkStoreConformance`. */
export const chunkStores = {
  disk: openDiskStore,
  // Its library is large, and most gateways never need it.
  s3: async (config: S3StoreConfig, deps: { readonly intake: Intake }) =>
    (await import('./s3.ts')).openS3Store(config, deps),
} as const;
