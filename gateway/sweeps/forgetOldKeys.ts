import { forgetKeys } from '@vtb/db/public/idempotency.ts';
import type { Deps } from '../deps.ts';

/** Longer than any client retries. */
const rememberedMs = 7 * 86_400_000;

/** Forgets idempotency keys that nobody will send again. */
export async function forgetOldKeys(deps: Deps): Promise<number> {
  await forgetKeys(new Date(deps.now().getTime() - rememberedMs), deps.db);
  return 0;
}
