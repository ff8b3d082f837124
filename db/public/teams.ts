import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { accounts, members, teams } from './schema.ts';

export type TeamRow = typeof teams.$inferSelect;
export type MemberRole = 'owner' | 'member';

/** Adds a team; false when the name is taken. */
export async function addTeam(team: TeamRow, tx: Db): Promise<boolean> {
  const rows = await tx.insert(teams).values(team).onConflictDoNothing().returning({ id: teams.id });
  return rows.length > 0;
}

/** Adds an account to a team. */
export async function addMember(
  member: {
    readonly team: string;
    readonly account: string;
    readonly role: MemberRole;
    readonly since: Date;
  },
  tx: Db,
): Promise<void> {
  await tx.insert(members).values(member);
}

/** Adds an account. */
export async function addAccount(account: typeof accounts.$inferInsert, tx: Db): Promise<void> {
  await tx.insert(accounts).values(account);
}

/** The teams an account belongs to, with its role in each. */
export async function teamsOfAccount(
  account: string,
  db: Db,
): Promise<{ id: string; name: string; createdAt: Date; role: MemberRole }[]> {
  return db
    .select({ id: teams.id, name: teams.name, createdAt: teams.createdAt, role: members.role })
    .from(members)
    .innerJoin(teams, eq(teams.id, members.team))
    .where(eq(members.account, account))
    .orderBy(asc(teams.name));
}

/** An account's role in a team, or null. */
export async function roleInTeam(
  input: { readonly account: string; readonly team: string },
  db: Db,
): Promise<MemberRole | null> {
  const [row] = await db
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.account, input.account), eq(members.team, input.team)));
  return row?.role ?? null;
}

/** A team by id. */
export async function findTeam(id: string, db: Db): Promise<TeamRow | undefined> {
  const [row] = await db.select().from(teams).where(eq(teams.id, id));
  return row;
}

/** All teams, for maintainers. */
export async function allTeams(db: Db): Promise<TeamRow[]> {
  return db.select().from(teams).orderBy(asc(teams.name)).limit(10_000);
}

/** Members of some teams, oldest first. */
export async function membersOf(teamIds: readonly string[], db: Db) {
  if (teamIds.length === 0) return [];
  return db
    .select({ team: members.team, account: accounts.id, name: accounts.name, role: members.role })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.account))
    .where(inArray(members.team, [...teamIds]))
    .orderBy(asc(members.since), asc(accounts.id));
}
