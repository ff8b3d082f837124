import type { OrderRow } from '@vtb/db/vault/orders.ts';
import { splitByDigest } from '@vtb/db/vault/splits.ts';
import type { TrialRow } from '@vtb/db/vault/trials.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { type Attachment, attachmentBytesMax, attachmentsMax } from '@vtb/protocol/messages/report.ts';
import { textTail } from '@vtb/protocol/textTail.ts';
import { trialOutcomeSchema } from '@vtb/protocol/wire/desk.ts';
import { type TrialFeedback, trialFeedbackSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Enclave } from '../enclave.ts';
import { chunksOf, writeChunk } from '../spoolChunks.ts';
import { openForTrial, openSplit } from '../vault/splitVault.ts';
import { readBoxed } from '../verify/prompt.ts';

/**
 * What goes back to the team beside a validation report: one JSON line a trial, in as few files as their bound allows,
 * the trials in their order. Only ever called for a split that the
 * vault records as visible, and refuses itself otherwise.
 */
export async function makeAttachments(
  order: OrderRow,
  trials: readonly TrialRow[],
  enclave: Enclave,
): Promise<Attachment[]> {
  const { season, track, split: digest } = order.document;
  const split = await splitByDigest({ season, track, digest }, enclave.db);
  if (split === undefined || split.hidden || order.hidden)
    throw new Error('only a visible split has feedback');
  const tasks = await openSplit(split, enclave.vault);
  const rowsPerFile = Math.ceil(trials.length / attachmentsMax);
  const lineBytesMax = Math.floor(attachmentBytesMax / rowsPerFile);
  const attachments: Attachment[] = [];
  let held: Uint8Array[] = [];
  let size = 0;
  const flush = async () => {
    if (size > 0) attachments.push(await keep(Buffer.concat(held), enclave));
    [held, size] = [[], 0];
  };
  for (const row of trials) {
    const task = tasks[row.task];
    if (task === undefined || row.outcome === null)
      throw new Error(`trial ${row.id} has no task or no outcome`);
    const opened = openForTrial(row.outcome, row.id, enclave.vault);
    const line = lineOf(feedbackOf(row, task, opened), lineBytesMax);
    if (size + line.length > attachmentBytesMax) await flush();
    held.push(line);
    size += line.length;
  }
  await flush();
  return attachments;
}

/**
 * One line of at most `bytesMax` bytes. Where every line may be as long as its share of all files together, what doesn't
 * fit loses the beginning of its output.
 *
 * throws  RangeError when not even the rest fits: the split's problems are too long for its trials.
 */
export function lineOf(feedback: TrialFeedback, bytesMax: number): Uint8Array {
  const encode = (output: string) =>
    new TextEncoder().encode(`${JSON.stringify({ ...feedback, output: output.toWellFormed() })}\n`);
  const whole = encode(feedback.output);
  if (whole.length <= bytesMax) return whole;
  const left = bytesMax - encode('').length;
  if (left < 0) throw new RangeError(`a trial's feedback without its output is over ${bytesMax} bytes`);
  return encode(textTail(feedback.output, left));
}

async function keep(bytes: Uint8Array, enclave: Enclave): Promise<Attachment> {
  const sha256 = sha256Hex(bytes);
  await writeChunk({ folder: chunksOf(enclave.spool), sha256, sizeMax: bytes.length }, oneChunk(bytes));
  return { sha256, size: bytes.length, kind: 'trials' };
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

function feedbackOf(
  row: TrialRow,
  task: { readonly id: string; readonly problem: string; readonly answer: number },
  opened: Uint8Array,
): TrialFeedback {
  const outcome = trialOutcomeSchema.parse(JSON.parse(new TextDecoder().decode(opened)));
  const answered = outcome.kind === 'answered' ? outcome : undefined;
  return trialFeedbackSchema.parse({
    task: task.id,
    trial: row.trial,
    reward: row.reward,
    outcome: outcomeWord(row.judged),
    problem: task.problem,
    expected: String(task.answer),
    output:
      answered === undefined
        ? ''
        : answered.reasoning === null
          ? answered.output
          : `${answered.reasoning}\n${answered.output}`,
    answer: answered === undefined ? null : readBoxed(answered.output),
    promptTokens: row.promptTokens,
    generatedTokens: row.generatedTokens,
  });
}

function outcomeWord(judged: TrialRow['judged']): TrialFeedback['outcome'] {
  switch (judged) {
    case 'done':
    case 'timeout':
    case 'truncated':
    case 'unparsable':
      return judged;
    case 'turnLimit':
      return 'truncated';
    case 'empty':
    case 'failed':
    case null:
      return 'empty';
  }
}
