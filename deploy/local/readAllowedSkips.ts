import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** The list of things a test may go without. It stands with the tests, outside of this package: read by path. */
export async function readAllowedSkips(root: string): Promise<Readonly<Record<string, string>>> {
  const list: unknown = await import(pathToFileURL(join(root, 'test', 'allowedSkips.ts')).href);
  return z.object({ allowedSkips: z.record(z.string(), z.string()) }).parse(list).allowedSkips;
}
