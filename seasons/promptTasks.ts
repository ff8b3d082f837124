import { type PromptTask, promptTaskSchema } from '@vtb/protocol/season/promptSplit.ts';
import type { FileProblem } from './seasonError.ts';

/** The tasks of a file, and what is wrong with it by line; with any problem, the tasks are not to be used. */
export interface ReadPromptTasks {
  readonly tasks: readonly PromptTask[];
  readonly problems: readonly FileProblem[];
}

/**
 * Reads a prompt split: one JSON object {id, problem, answer} a line, ids and texts unique.
 *
 * file     is only named in problems.
 * returns  every problem at once; an empty file is one.
 */
export function readPromptTasks(file: string, bytes: Uint8Array): ReadPromptTasks {
  const tasks: PromptTask[] = [];
  const problems: FileProblem[] = [];
  const firstLines = { id: new Map<string, number>(), problem: new Map<string, number>() };

  const lines = new TextDecoder().decode(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  lines.forEach((text, index) => {
    const line = index + 1;
    const problem = (message: string) => problems.push({ file, line, column: 1, message });
    const parsed = promptTaskSchema.safeParse(parseJson(text));
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path;
        problem(`${[...names].join('.') || 'line'}: ${issue.message}`);
      }
      return;
    }
    for (const key of ['id', 'problem'] as const) {
      const first = firstLines[key].get(parsed.data[key]);
      if (first !== undefined) problem(`${key}: is the same as in line ${first}; make it another`);
      else firstLines[key].set(parsed.data[key], line);
    }
    tasks.push(parsed.data);
  });
  if (lines.length === 0)
    problems.push({ file, line: 1, column: 1, message: 'has no tasks; add one a line' });
  return { tasks, problems };
}

/** Undefined where the line is not JSON, which the schema then refuses by line. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
