import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '@vtb/protocol/errors.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import { readToml, TomlSyntaxError } from '@vtb/seasons/tomlDocument.ts';
import { z } from 'zod';

/** `system.toml`: what a team says about a system. */
export const descriptionSchema = z.strictObject({
  track: z.string({ error: 'must name the track' }).min(1),
  edits: z.array(z.enum(['data', 'trainer', 'harness'], { error: 'must be data, trainer or harness' }), {
    error: 'must list what was edited; [] for nothing',
  }),
  name: z.string({ error: 'must be given' }).trim().min(1).max(80),
  notes: z.string().max(4000).optional(),
  license: z.string({ error: 'must be given' }).trim().min(1).max(80),
  base: z.string({ error: 'must name the base model' }).trim().min(1).max(200),
  terms: z
    .string({ error: 'must be the SHA-256 of the terms you accept' })
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the terms you accept'),
});
export type Description = z.infer<typeof descriptionSchema>;

/**
 * Reads a system's description.
 *
 * file     null where the folder has none.
 * returns  the description, or everything that is wrong with it, by line.
 */
export async function readDescription(
  dir: string,
  file: { readonly path: string; readonly size: number } | null,
): Promise<{ readonly description: Description | null; readonly problems: readonly Problem[] }> {
  const refused = (at: string, message: string, fix?: string) => ({
    description: null,
    problems: [{ code: 'system.description', at, message, ...(fix === undefined ? {} : { fix }) }],
  });
  if (file === null)
    return refused(
      'system.toml',
      'is missing',
      'vtb init writes it: track, edits, name, license, base, terms.',
    );
  if (file.size > systemLimits.descriptionBytesMax)
    return refused(
      'system.toml',
      `has ${file.size} bytes, more than ${systemLimits.descriptionBytesMax}`,
      'Shorten the notes.',
    );
  try {
    const toml = readToml(await readFile(join(dir, file.path), 'utf8'));
    const parsed = descriptionSchema.safeParse(toml.value);
    if (parsed.success) return { description: parsed.data, problems: [] };
    const problems = parsed.error.issues.map((issue) => {
      const { line } = toml.locate(issue.path.filter((part) => typeof part !== 'symbol'));
      const message = `${issue.path.join('.')} ${issue.message}`.trim();
      return { code: 'system.description', at: `system.toml:${line}`, message };
    });
    return { description: null, problems };
  } catch (cause) {
    if (!(cause instanceof TomlSyntaxError)) throw cause;
    return refused(`system.toml:${cause.position.line}`, cause.message);
  }
}
