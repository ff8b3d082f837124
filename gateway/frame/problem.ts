import { Refusal, type RefusalCode, refusals } from '@vtb/protocol/errors.ts';
import type { ProblemDocument } from '@vtb/protocol/wire/problem.ts';

/**
 * An error as the problem document (RFC 9457) the caller sees. Anything but a Refusal is a bug of ours: the caller sees
 * the request id, by which the log tells the rest, and nothing else.
 */
export function problemDocument(error: unknown, requestId: string): ProblemDocument {
  if (error instanceof Refusal) return document(error.code, error.message, requestId, error.problems);
  return document(
    'internal',
    `something went wrong on our side; tell us this number: ${requestId}`,
    requestId,
    [],
  );
}

/** A problem document as a Response. */
export function problemResponse(problem: ProblemDocument): Response {
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  };
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer';
  if (problem.status === 429) headers['retry-after'] = '10';
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

function document(
  code: RefusalCode,
  detail: string,
  requestId: string,
  problems: Refusal['problems'],
): ProblemDocument {
  const { status, title } = refusals[code];
  return {
    type: `urn:vtb:problem:${code}`,
    title,
    status,
    code,
    detail,
    requestId,
    problems: problems.map((problem) => ({ ...problem })),
  };
}
