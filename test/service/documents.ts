import type { z } from 'zod';
import type { VtbRun } from './vtbRun.ts';

/** The document of a call that ended well. throws Error with everything it said when it did not. */
export function done<T>(run: VtbRun, schema: z.ZodType<T>): T {
  if (run.code !== 0) throw new Error(`vtb ended with code ${run.code}:\n${run.stdout}\n${run.stderr}`);
  return schema.parse(run.document);
}
