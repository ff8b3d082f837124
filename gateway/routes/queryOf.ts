import { Refusal } from '@vtb/protocol/errors.ts';
import { z } from 'zod';
import { zodProblems } from '../frame/zodProblems.ts';

/**
 * The query of a call, checked; a name given twice or unknown is refused.
 *
 * throws  Refusal('request.invalid') with everything that is wrong.
 */
export function queryOf<Shape extends z.ZodRawShape>(
  query: URLSearchParams,
  shape: Shape,
): z.infer<z.ZodObject<Shape>> {
  const twice = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  if (twice.length > 0) throw new Refusal('request.invalid', `given more than once: ${twice.join(', ')}`);
  const parsed = z.strictObject(shape).safeParse(Object.fromEntries(query));
  if (parsed.success) return parsed.data as z.infer<z.ZodObject<Shape>>;
  throw new Refusal('request.invalid', 'the query is not what this route takes', zodProblems(parsed.error));
}

/** A whole number in a query, from `min` to `max`. */
export function numberInQuery(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}
