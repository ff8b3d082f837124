/** The desk said no. `code` is that of its problem document; 'unknown' when it sent none. */
export class DeskRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(what: string, facts: { readonly status: number; readonly code: string }) {
    super(`the desk refused ${what}: ${facts.status} ${facts.code}`);
    this.name = 'DeskRefused';
    this.status = facts.status;
    this.code = facts.code;
  }
}

/** Nobody answered, or not in time. */
export class DeskUnreachable extends Error {
  constructor(what: string, cause: unknown) {
    super(`the desk didn't answer ${what}`, { cause });
    this.name = 'DeskUnreachable';
  }
}

/** True when what the request was about is no longer this runner's: the work is dropped, nothing more is sent. */
export function isLost(error: unknown): boolean {
  return error instanceof DeskRefused && (error.code === 'lease.stale' || error.status === 404);
}

/** True when the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DeskUnreachable) return true;
  return error instanceof DeskRefused && (error.status >= 500 || error.status === 429);
}
