/** What cli/dist/vtb.mjs starts with: the command line, or in a thread of it the hasher. */
import { isMainThread } from 'node:worker_threads';

await (isMainThread ? import('./main.ts') : import('./system/hashWorker.ts'));
