import type { Problem } from '@vtb/protocol/errors.ts';

/** How a command ends when it does not end well; the numbers are the exit codes. */
export const exitCodes = { refused: 1, usage: 2, unreachable: 3, timedOut: 4 } as const;

/** An expected bad end of a command: what, and everything that is wrong. */
export class Failure extends Error {
  readonly kind: keyof typeof exitCodes;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(
    kind: keyof typeof exitCodes,
    code: string,
    message: string,
    problems: readonly Problem[] = [],
  ) {
    super(message);
    this.name = 'Failure';
    this.kind = kind;
    this.code = code;
    this.problems = problems;
  }
}
