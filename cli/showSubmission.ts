import type { Submission } from '@vtb/protocol/wire/submissions.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { stateLine } from './follow.ts';
import { resultText } from './resultText.ts';

/** Prints the submission; one that was refused, held back or lost ends the command with exit code 1. */
export function showSubmission(submission: Submission, context: Pick<Context, 'console'>): void {
  if (submission.state === 'refused' || submission.state === 'lapsed') {
    const problems = submission.problems.map(({ fix, ...problem }) =>
      fix === undefined ? problem : { ...problem, fix },
    );
    throw new Failure('refused', `submission.${submission.state}`, stateLine(submission), problems);
  }
  const results = submission.gradings.map(
    (grading) =>
      `  grading ${grading.number} (${grading.cause}) ${grading.id} ${grading.state}${grading.current ? ', current' : ''}${grading.result === null ? '' : `: ${resultText(grading.result)}`}`,
  );
  context.console.result(submission, [stateLine(submission), ...results].join('\n'));
}
