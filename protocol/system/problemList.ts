import type { Problem } from '../errors.ts';
import { groupDigits } from './groupDigits.ts';

/**
 * What inspection can refuse, each with a stable code. A code says what kind of thing is wrong; `at` says
 * where (a manifest path, and after ` # ` a tensor or key in that file); the message has value and limit.
 */
export const systemProblemCodes = [
  'manifest.shape',
  'manifest.path',
  'manifest.collision',
  'manifest.order',
  'manifest.role',
  'manifest.limit',
  'manifest.chunks',
  'manifest.cut',
  'system.track',
  'system.edits',
  'system.description',
  'harness.notEditable',
  'harness.notDeclared',
  'harness.missing',
  'harness.limit',
  'harness.runMissing',
  'weights.missing',
  'weights.format',
  'weights.limit',
  'weights.file',
  'weights.pickle',
  'weights.code',
  'weights.adapter',
  'weights.copy',
  'weights.hook',
  'weights.json',
  'weights.index',
  'weights.trackOwned',
  'safetensors.header',
  'safetensors.entry',
  'gguf.header',
  'gguf.value',
  'gguf.keyRepeated',
  'gguf.keyUnknown',
  'gguf.keyDiffers',
  'gguf.keyNotInBase',
  'gguf.keyMissing',
  'gguf.entry',
  'tensor.repeated',
  'tensor.layout',
  'tensor.padding',
  'tensor.unexpected',
  'tensor.missing',
  'tensor.shape',
  'tensor.dtype',
  'tensor.notFinite',
  'tensor.forbidden',
] as const;

/** A stable code of one kind of problem with a system. */
export type SystemProblemCode = (typeof systemProblemCodes)[number];

/** One thing wrong with a system. */
export interface SystemProblem extends Problem {
  readonly code: SystemProblemCode;
  readonly fix: string;
}

/**
 * The most problems of one code in one list. More of the same kind help nobody, and a hostile file could
 * have 65,536; what was left out is counted in a last one of that code.
 */
export const problemsPerCodeMax = 100;

/** Gathers problems in the order found. */
export interface ProblemList {
  add(code: SystemProblemCode, at: string, message: string, fix: string): void;
  addAll(problems: readonly SystemProblem[]): void;
  all(): readonly SystemProblem[];
}

/** An empty list of problems. */
export function newProblemList(): ProblemList {
  const kept: SystemProblem[] = [];
  const counts = new Map<SystemProblemCode, number>();
  const push = (problem: SystemProblem) => {
    const before = counts.get(problem.code) ?? 0;
    const summed = summaries.get(problem);
    counts.set(problem.code, before + (summed ?? 1));
    if (before < problemsPerCodeMax && summed === undefined) kept.push(problem);
  };
  return {
    add: (code, at, message, fix) => push({ code, at, message, fix }),
    addAll: (problems) => {
      for (const problem of problems) push(problem);
    },
    all: () => [...kept, ...leftOut(counts)],
  };
}

/** How many problems a last one of its code stands for, so that lists can be joined without miscounting. */
const summaries = new WeakMap<SystemProblem, number>();

function leftOut(counts: ReadonlyMap<SystemProblemCode, number>): SystemProblem[] {
  return [...counts].flatMap(([code, count]) => {
    const left = count - problemsPerCodeMax;
    if (left <= 0) return [];
    const message = `and ${groupDigits(left)} more of this kind (${problemsPerCodeMax} are listed)`;
    const problem: SystemProblem = { code, at: '', message, fix: 'Mend the listed ones and check again.' };
    summaries.set(problem, left);
    return [problem];
  });
}
