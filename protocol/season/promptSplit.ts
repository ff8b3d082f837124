import { z } from 'zod';
import { jsonDigest, type Sha256 } from '../digest.ts';
import { closedObject } from './closedObject.ts';

/** One task of a prompt split. The answer is an integer that is compared as a number. */
export const promptTaskSchema = closedObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1 to 100 letters, digits and . _ -'),
  problem: z.string().min(1, 'must not be empty').max(20_000, 'must be at most 20,000 characters'),
  answer: z.int('must be a whole number'),
});

/** A prompt task with its answer: only the split's keeper and the scorer hold one. */
export type PromptTask = z.infer<typeof promptTaskSchema>;

/** Names a prompt task by its id, problem and answer; other members of what is passed don't count. */
export function promptTaskDigest(task: PromptTask): Sha256 {
  return jsonDigest({ id: task.id, problem: task.problem, answer: task.answer });
}

/**
 * Names a prompt split by its content: SHA-256 over the canonical JSON list of its tasks' digests, sorted.
 *
 * tasks    in any order; the digest does not depend on it.
 * throws   RangeError when empty, or when an id or a problem's text is there twice: such a split would
 *          count one task for two.
 */
export function promptSplitDigest(tasks: readonly PromptTask[]): Sha256 {
  if (tasks.length === 0) throw new RangeError('A split has at least one task');
  refuseRepeats(
    'id',
    tasks.map((task) => task.id),
  );
  refuseRepeats(
    'problem text',
    tasks.map((task) => task.problem),
  );
  return jsonDigest(tasks.map(promptTaskDigest).sort());
}

/** Names places, never texts: this message may be logged where the split is hidden. */
function refuseRepeats(what: string, values: readonly string[]): void {
  const seen = new Map<string, number>();
  values.forEach((value, index) => {
    const first = seen.get(value);
    if (first !== undefined) {
      throw new RangeError(`Tasks ${first + 1} and ${index + 1} of a split have the same ${what}`);
    }
    seen.set(value, index);
  });
}
