import { openDiskStore } from './disk.ts';
import { openS3Store } from './s3.ts';

/** How a chunk store is opened, by its kind; each passes `chunkStoreConformance`. */
export const chunkStores = { disk: openDiskStore, s3: openS3Store } as const;
