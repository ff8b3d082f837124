/** One line of the log. Fields are ids, digests, counts and codes: never a task's text, never an output. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
) => void;

/** Writes one JSON line an event on stderr. */
export function stderrLog(now: () => Date): Log {
  return (level, event, fields = {}) => {
    process.stderr.write(
      `${JSON.stringify({ at: now().toISOString(), process: 'runner', level, event, ...fields })}\n`,
    );
  };
}

/** What an error may say in a log: its name, its code, and the start of its message, which we wrote. */
export function errorFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { error: error.name, message: error.message.slice(0, 300), ...code };
}
