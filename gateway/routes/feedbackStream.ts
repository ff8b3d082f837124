import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Db } from '@vtb/db/public/connect.ts';
import { attachmentsOfGrading, type SubmissionContext } from '@vtb/db/public/submissions.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { trialFeedbackSchema } from '@vtb/protocol/wire/submissions.ts';
import type { ChunkStore } from '../chunks/store.ts';
import { notFound } from '../frame/access.ts';

/**
 * Everything that happened in the trials of a validation grading, as one JSON document that is written while it is read:
 * attachments may be large. Each line is checked, and nothing but what the schema names goes out.
 *
 * throws  the same Refusal for a final as for no submission: nothing but the score of a hidden split goes to anybody.
 */
export async function feedbackStream(
  { submission }: SubmissionContext,
  deps: { readonly db: Db; readonly chunks: ChunkStore },
): Promise<Readable> {
  if (submission.purpose !== 'validation') throw notFound();
  const grading = submission.currentGrading;
  if (grading === null)
    throw new Refusal('state.conflict', `there is no feedback yet: the submission is ${submission.state}`);
  const attachments = await attachmentsOfGrading(grading, deps.db);
  const arrived = attachments.filter(({ arrivedAt, kind }) => arrivedAt !== null && kind === 'trials');
  const missing = attachments.filter(({ arrivedAt }) => arrivedAt === null).map(({ sha256 }) => sha256);
  const head = JSON.stringify({ submission: submission.id, grading, missing });
  const encoder = new TextEncoder();
  return Readable.from(
    (async function* () {
      yield encoder.encode(`${head.slice(0, -1)},"trials":[`);
      let separator = '';
      for (const { sha256 } of arrived) {
        const bytes = await deps.chunks.get(sha256, null);
        if (bytes === null) throw new Error(`attachment ${sha256} is not in the store any more`);
        for await (const line of trialLines(bytes)) {
          yield encoder.encode(separator + line);
          separator = ',';
        }
      }
      yield encoder.encode(']}');
    })(),
  );
}

async function* trialLines(bytes: Readable): AsyncGenerator<string> {
  for await (const line of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') yield JSON.stringify(trialFeedbackSchema.parse(JSON.parse(line)));
  }
}
