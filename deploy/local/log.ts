/** One JSON line per event on stderr, like every process of the service. */
export function log(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), process: 'start', event, ...fields })}\n`,
  );
}
