import { DrizzleQueryError } from 'drizzle-orm';

/** One line of the log. Fields are ids, digests, counts and codes: never a task's text, never an output. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
) => void;

/** Writes one JSON line an event on stderr. */
export function stderrLog(name: string, now: () => Date): Log {
  return (level, event, fields = {}) => {
    process.stderr.write(
      `${JSON.stringify({ at: now().toISOString(), process: name, level, event, ...fields })}\n`,
    );
  };
}

/** What an error may say in a log: its name and code; its message only where we wrote it. */
export function errorFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { error: typeof error };
  // A failed query's message carries its SQL and parameters, its cause's may carry a value: the code has to do.
  const query = error instanceof DrizzleQueryError;
  const from = query && error.cause !== undefined ? error.cause : error;
  const code = 'code' in from && typeof from.code === 'string' ? { code: from.code } : {};
  const message = query || error.name === 'PostgresError' ? 'a query failed' : error.message.slice(0, 300);
  return { error: error.name, message, ...code };
}
