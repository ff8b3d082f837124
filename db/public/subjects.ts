import { type SQL, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import type { MemberRole } from './teams.ts';

/** What a path's `:id` can name. */
export type SubjectKind = 'team' | 'entry' | 'run' | 'submission';

/** A thing that belongs to a team, and what the caller is to that team. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly team: string;
  /** The caller's role in the team; null for strangers. */
  readonly role: MemberRole | null;
  /** Whether everybody may see it: something of it is published, or it is a final of a season whose queue is open. */
  readonly isPublic: boolean;
  /** Of a submission: until when its bytes may come, and the token that committed it. */
  readonly upload: { readonly until: Date; readonly token: string } | null;
}

/** How each kind leads to its team, what makes it public, and its upload rights. */
const kinds: Readonly<Record<SubjectKind, { from: SQL; id: SQL; isPublic: SQL; until: SQL; token: SQL }>> = {
  team: { from: sql`teams t`, id: sql`t.id`, isPublic: sql`false`, until: sql`NULL`, token: sql`NULL` },
  entry: {
    from: sql`entries e JOIN teams t ON t.id = e.team`,
    id: sql`e.id`,
    isPublic: sql`EXISTS (SELECT 1 FROM gradings g JOIN submissions s ON s.id = g.submission JOIN runs r ON r.id = s.run WHERE r.entry = e.id AND g.published_at IS NOT NULL)`,
    until: sql`NULL`,
    token: sql`NULL`,
  },
  run: {
    from: sql`runs r JOIN entries e ON e.id = r.entry JOIN teams t ON t.id = e.team`,
    id: sql`r.id`,
    isPublic: sql`false`,
    until: sql`NULL`,
    token: sql`NULL`,
  },
  submission: {
    from: sql`submissions s JOIN runs r ON r.id = s.run JOIN entries e ON e.id = r.entry JOIN teams t ON t.id = e.team`,
    id: sql`s.id`,
    isPublic: sql`s.purpose = 'final' AND (
      EXISTS (SELECT 1 FROM gradings g WHERE g.submission = s.id AND g.published_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM seasons n WHERE n.id = e.season AND (n.document->>'openQueue')::boolean))`,
    until: sql`s.upload_until`,
    token: sql`s.committed_with`,
  },
};

/**
 * Finds what an id names, with the caller's role: one query whether it exists or not, may be seen or not.
 *
 * account  the caller's, or null for a visitor.
 */
export async function findSubject(
  input: { readonly kind: SubjectKind; readonly id: string; readonly account: string | null },
  db: Db,
): Promise<Subject | undefined> {
  const kind = kinds[input.kind];
  const [row] = await db.execute<{
    team: string;
    role: MemberRole | null;
    isPublic: boolean;
    until: string | null;
    token: string | null;
  }>(sql`
    SELECT t.id AS team, m.role, ${kind.isPublic} AS "isPublic", ${kind.until} AS until, ${kind.token} AS token
    FROM ${kind.from} LEFT JOIN members m ON m.team = t.id AND m.account = ${input.account ?? ''}
    WHERE ${kind.id} = ${input.id}`);
  if (row === undefined) return undefined;
  const upload =
    row.until === null || row.token === null ? null : { until: new Date(row.until), token: row.token };
  return { kind: input.kind, id: input.id, team: row.team, role: row.role, isPublic: row.isPublic, upload };
}
