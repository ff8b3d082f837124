import { fileURLToPath } from 'node:url';
import { migrate } from '../migrate.ts';

/** Tables that only ever grow: the application may add to them and read them; a trigger refuses the owner too. */
export const appendOnlyTables = [
  'audit',
  'feed',
  'ledger',
  'log_leaves',
  'research_log',
  'research_totals',
] as const;

/** What the site's role never sees: tokens' ids, who did what, and what is addressed to the grader. */
export const unseenBySite = ['tokens', 'idempotency', 'audit', 'feed', 'notices', 'team_chunks'] as const;

/** The owner's URL and the roles to let in; null where the owner serves for everything. */
export interface MigratePublicInput {
  readonly ownerUrl: string;
  readonly appRole: string | null;
  readonly readRole: string | null;
}

/** Brings the public database to the newest schema; any number of gateways may do it at once. */
export async function migratePublic({ ownerUrl, appRole, readRole }: MigratePublicInput): Promise<void> {
  await migrate({
    ownerUrl,
    folder: fileURLToPath(new URL('./migrations', import.meta.url)),
    grants: {
      write: appRole === null ? [] : [appRole],
      appendOnly: appendOnlyTables,
      read: readRole === null ? [] : [readRole],
      unseen: unseenBySite,
    },
  });
}
