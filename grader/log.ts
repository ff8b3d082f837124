/** One line of the log. Fields are ids, digests, counts and codes: never a task's text, never an output. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
) => void;

/** Writes one JSON line an event on stderr. */
export function stderrLog(process_: string, now: () => Date): Log {
  return (level, event, fields = {}) => {
    process.stderr.write(
      `${JSON.stringify({ at: now().toISOString(), process: process_, level, event, ...fields })}\n`,
    );
  };
}

/** What an error may say in a log: its name and code; its message only where we wrote it. */
export function errorFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  // A failed query's message carries its parameters.
  const message = error.name === 'DrizzleQueryError' ? 'a query failed' : error.message.slice(0, 300);
  return { error: error.name, message, ...code };
}
