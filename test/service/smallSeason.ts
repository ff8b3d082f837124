import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PromptTask, promptSplitDigest, promptTaskSchema } from '@vtb/protocol/season/promptSplit.ts';

/** Problems in each split of the small season, one of each kind, and trials of each. */
export const smallSeason = { tasks: 10, trials: 2, releaseGridSeconds: 1 } as const;

const pocket = join(import.meta.dirname, '../../seasons/pocket');

/**
 * Writes a small copy of the pocket season into `folder`: the same track, base and generator with fewer problems, so
 * that a grading takes seconds. Only sizes differ: what is tested is the product, not this season.
 */
export async function writeSmallSeason(folder: string): Promise<void> {
  const season = join(folder, 'pocket');
  await mkdir(season, { recursive: true });
  for (const name of ['terms.md', 'wordmath'])
    await cp(join(pocket, name), join(season, name), { recursive: true });
  const lines = (await readFile(join(pocket, 'wordmath/validation.jsonl'), 'utf8')).trim().split('\n');
  const kept = lines.slice(0, smallSeason.tasks);
  const tasks: readonly PromptTask[] = kept.map((line) => promptTaskSchema.parse(JSON.parse(line)));
  await writeFile(join(season, 'wordmath/validation.jsonl'), `${kept.join('\n')}\n`);
  const toml = await readFile(join(pocket, 'season.toml'), 'utf8');
  await writeFile(join(season, 'season.toml'), edited(toml, promptSplitDigest(tasks)));
}

function edited(toml: string, validation: string): string {
  const edits: readonly (readonly [RegExp, string])[] = [
    [/^releaseGridSeconds = \d+$/m, `releaseGridSeconds = ${smallSeason.releaseGridSeconds}`],
    [/^trials = \d+$/m, `trials = ${smallSeason.trials}`],
    [/^digest = "[0-9a-f]{64}"\nsize = \d+$/m, `digest = "${validation}"\nsize = ${smallSeason.tasks}`],
    [/^generator = "wordmath"\nsize = \d+$/m, `generator = "wordmath"\nsize = ${smallSeason.tasks}`],
  ];
  return edits.reduce((text, [pattern, by]) => {
    if (!pattern.test(text)) throw new Error(`the pocket season has no line like ${pattern}`);
    return text.replace(pattern, by);
  }, toml);
}
