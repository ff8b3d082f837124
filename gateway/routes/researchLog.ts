import { addAbortSignal } from 'node:stream';
import { researchLinesAfter } from '@vtb/db/public/researchLog.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import { researchLineSchema } from '@vtb/protocol/researchLog/line.ts';
import {
  type AppendedLines,
  type ResearchPage,
  researchLogType,
  researchPageLinesMax,
} from '@vtb/protocol/wire/researchLog.ts';
import { appendResearchLog } from '../actions/appendResearchLog.ts';
import { personOf, subjectOf } from '../frame/person.ts';
import type { Action, RawRequest } from '../frame/route.ts';
import { numberInQuery, queryOf } from './queryOf.ts';

/** POST /runs/:id/log: the body is the log's lines; nothing to create twice, so no Idempotency-Key. */
export const postLog: Action<null, AppendedLines> = async (call, deps) => {
  const text = await readText(call.raw);
  const input = { caller: personOf(call), run: subjectOf(call).id, text, at: call.at };
  return deps.db.transaction((tx) => appendResearchLog(input, tx));
};

/** GET /runs/:id/log?after=&limit= */
export const getRunLog: Action<null, ResearchPage> = async (call, _deps, tx) => {
  const { after = 0, limit = 100 } = queryOf(call.query, {
    after: numberInQuery(0, Number.MAX_SAFE_INTEGER).optional(),
    limit: numberInQuery(1, researchPageLinesMax).optional(),
  });
  const run = subjectOf(call).id;
  const rows = await researchLinesAfter({ run, after, limit: limit + 1 }, tx);
  const lines = rows.slice(0, limit).map(({ number, receivedAt, line }) => ({
    number,
    receivedAt: receivedAt.toISOString(),
    line: researchLineSchema.parse(line),
  }));
  return { run, lines, next: rows.length > limit ? (lines.at(-1)?.number ?? null) : null };
};

/** The longest body on a line of 10 kB/s takes 26 s. */
const bodyMs = 60_000;

async function readText(raw: RawRequest): Promise<string> {
  const type = raw.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== researchLogType)
    throw new Refusal(
      'request.invalid',
      `the body is ${type ?? 'of no type'}; send content-type: ${researchLogType}, one JSON object a line`,
    );
  const tooLarge = () =>
    new Refusal(
      'request.tooLarge',
      `the body is over ${researchLogLimits.requestBytesMax} bytes: send the log in parts`,
    );
  if (Number(raw.header('content-length') ?? 0) > researchLogLimits.requestBytesMax) throw tooLarge();
  const late = AbortSignal.timeout(bodyMs);
  const body = addAbortSignal(AbortSignal.any([raw.signal, late]), raw.bytes());
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    // Left open when refused, so that the refusal can still be sent.
    for await (const part of body.iterator({ destroyOnReturn: false })) {
      size += part.byteLength;
      if (size > researchLogLimits.requestBytesMax) throw tooLarge();
      parts.push(part);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (cause) {
    if (late.aborted) throw new Refusal('request.invalid', `the body did not end within ${bodyMs / 1000} s`);
    if (cause instanceof TypeError) throw new Refusal('request.invalid', 'the body is not UTF-8');
    throw cause;
  }
}
