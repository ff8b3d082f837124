import type { Position } from './tomlDocument.ts';

/** One mistake in a season's files: where it is, and what to write instead. */
export interface FileProblem extends Position {
  readonly file: string;
  readonly message: string;
}

/** Season files that cannot be used; holds every problem, in the order of the files and lines. */
export class SeasonError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super([`Season files have ${count}:`, ...problems.map(problemLine)].join('\n'));
    this.name = 'SeasonError';
    this.problems = problems;
  }
}

/** A problem as editors and terminals link it: file:line:column: message. */
export function problemLine(problem: FileProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
}
