import type { Db } from './connect.ts';
import { audit } from './schema.ts';

/** One line of the audit log: who did what to what, when and why. */
export interface AuditLine {
  readonly at: Date;
  /** An account's id, 'grader', or 'gateway' for timers. */
  readonly actor: string;
  /** The verb, e.g. 'submission.withdrawn'. */
  readonly act: string;
  /** Id of what it was done to. */
  readonly subject: string;
  readonly reason: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Adds a line; called in the transaction of the act it tells of. */
export async function writeAudit(line: AuditLine, tx: Db): Promise<void> {
  await tx.insert(audit).values({ ...line, detail: line.detail ?? {} });
}
