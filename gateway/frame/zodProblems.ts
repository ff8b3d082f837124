import type { Problem } from '@vtb/protocol/errors.ts';
import type { z } from 'zod';

/** Everything a schema found wrong, as problems with JSON pointers; at most 100. */
export function zodProblems(error: z.ZodError): Problem[] {
  return error.issues.slice(0, 100).map((issue) => ({
    code: `body.${issue.code ?? 'invalid'}`,
    at: issue.path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: issue.message.slice(0, 300),
  }));
}
