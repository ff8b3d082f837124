import type { EntryRow } from '@vtb/db/public/entries.ts';
import type { Entry } from '@vtb/protocol/wire/entries.ts';

/** An entry as it is shown. */
export function entryView(entry: EntryRow): Entry {
  return { ...entry, createdAt: entry.createdAt.toISOString() };
}
