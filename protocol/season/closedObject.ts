import { z } from 'zod';

/** An object with these keys and no others; an unknown key is a problem that lists the known ones. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown here; known are ${Object.keys(shape).sort().join(', ')}`
        : undefined,
  });
}
