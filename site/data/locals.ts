import type { Db } from '@vtb/db/public/read/db.ts';

/** What the gateway hands to a page. */
export interface SiteLocals {
  /** The public database under the read-only role. */
  readonly db: Db;
  readonly now: Date;
}
