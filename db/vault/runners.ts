import type { Capabilities } from '@vtb/protocol/messages/notice.ts';
import { asc, eq, isNotNull } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { runners } from './schema.ts';

/**
 * Whether a runner's id belongs to the key it signed with. The first key that uses an id owns it, and a key owns one id:
 * otherwise any enrolled runner could speak for another.
 */
export async function runnerOwnsId(
  input: { readonly id: string; readonly kid: string; readonly now: Date },
  db: Vault,
): Promise<boolean> {
  const { id, kid, now } = input;
  const [known] = await db.select({ kid: runners.kid }).from(runners).where(eq(runners.id, id));
  if (known !== undefined) return known.kid === kid;
  const made = await db
    .insert(runners)
    .values({ id, kid, seenAt: now })
    .onConflictDoNothing()
    .returning({ id: runners.id });
  if (made.length > 0) return true;
  const [row] = await db.select({ kid: runners.kid }).from(runners).where(eq(runners.id, id));
  return row?.kid === kid;
}

/** Keeps what a runner said it can do, and whether that is news. */
export async function noteCapabilities(
  input: { readonly id: string; readonly capabilities: Capabilities; readonly now: Date },
  db: Vault,
): Promise<void> {
  const { id, capabilities, now } = input;
  const [known] = await db.select().from(runners).where(eq(runners.id, id));
  const same = JSON.stringify(known?.capabilities ?? null) === JSON.stringify(ordered(capabilities));
  await db
    .update(runners)
    .set({ seenAt: now, ...(same ? {} : { capabilities: ordered(capabilities), changed: true }) })
    .where(eq(runners.id, id));
}

/** Runners with capabilities, when any of them changed since they were last told; marks them as told. */
export async function takeRunnerNews(
  tx: Vault,
): Promise<{ readonly runner: string; readonly capabilities: Capabilities }[]> {
  const told = await tx
    .update(runners)
    .set({ changed: false })
    .where(eq(runners.changed, true))
    .returning({ id: runners.id });
  if (told.length === 0) return [];
  const rows = await tx
    .select()
    .from(runners)
    .where(isNotNull(runners.capabilities))
    .orderBy(asc(runners.id))
    .limit(1000);
  return rows.flatMap(({ id, capabilities }) =>
    capabilities === null ? [] : [{ runner: id, capabilities }],
  );
}

/** jsonb forgets the order of keys; this one is compared and told. */
function ordered({ engines, drivers, isolation, hardware }: Capabilities): Capabilities {
  return { drivers, engines, hardware, isolation };
}
