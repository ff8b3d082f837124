import { collectGarbage } from './collectGarbage.ts';
import { endOverdue } from './endOverdue.ts';
import { forgetLeftovers } from './forgetLeftovers.ts';
import { forgetOldKeys } from './forgetOldKeys.ts';
import { lapseUploads } from './lapseUploads.ts';
import { openLogs } from './openLogs.ts';
import { orderQueued } from './orderQueued.ts';
import { releaseFinals } from './releaseFinals.ts';
import { sendCheckpoints } from './sendCheckpoints.ts';
import type { Sweep } from './sweep.ts';

/** Every sweep; add one by a line here. */
export const sweeps: readonly Sweep[] = [
  { name: 'openLogs', everyMs: 5_000, run: openLogs },
  { name: 'orderQueued', everyMs: 1_000, run: orderQueued },
  { name: 'releaseFinals', everyMs: 500, run: releaseFinals },
  { name: 'sendCheckpoints', everyMs: 1_000, run: sendCheckpoints },
  { name: 'lapseUploads', everyMs: 5_000, run: lapseUploads },
  { name: 'endOverdue', everyMs: 30_000, run: endOverdue },
  { name: 'forgetOldKeys', everyMs: 3_600_000, run: forgetOldKeys },
  { name: 'forgetLeftovers', everyMs: 3_600_000, run: forgetLeftovers },
  { name: 'collectGarbage', everyMs: 60_000, run: collectGarbage },
];
