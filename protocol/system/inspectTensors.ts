import type { Sha256 } from '../digest.ts';
import type { BaseFacts } from './base.ts';
import { canonicalCut, checkCut, tensorDigests } from './cut.ts';
import { groupDigits } from './groupDigits.ts';
import type { ManifestFile } from './manifest.ts';
import { findNonFinite } from './nonFinite.ts';
import { findNonZero } from './nonZero.ts';
import type { ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import type { ReadFileAt } from './readAt.ts';
import type { Layout } from './tensor.ts';

/** What inspecting parts of a system needs: bytes, and where problems go. */
export interface InspectDeps {
  readonly readFileAt: ReadFileAt;
  readonly problems: ProblemList;
}

/**
 * Looks at a weights file's bytes once its layout is known: chunks follow the canonical cut, padding is
 * zero, every tensor is finite, none is a forbidden model's.
 */
export async function inspectTensors(
  input: { readonly file: ManifestFile; readonly layout: Layout; readonly forbidden: BaseFacts['forbidden'] },
  { readFileAt, problems }: InspectDeps,
): Promise<void> {
  const { file, layout } = input;
  const readAt = (offset: number, length: number) => readFileAt(file.path, offset, length);
  const difference = checkCut(canonicalCut(file.size, layout), file.chunks);
  if (difference !== null) {
    problems.add(
      'manifest.cut',
      file.path,
      `${quoteName(file.path)}: ${difference}`,
      'Let `vtb` cut the file.',
    );
  } else {
    checkForbidden(input, problems);
  }
  const dirt = await findNonZero(layout.padding, readAt);
  if (dirt !== null) {
    const message = `byte ${groupDigits(dirt)} is padding and not zero`;
    problems.add('tensor.padding', file.path, message, 'Write the file again with an unmodified writer.');
  }
  for (const tensor of layout.tensors) {
    const found = await findNonFinite(tensor, readAt);
    if (found === null) continue;
    const message = `${quoteName(tensor.name)} has ${found.kind} at element ${groupDigits(found.index)}`;
    problems.add(
      'tensor.notFinite',
      partOf(file.path, tensor.name),
      message,
      'Use a checkpoint from before it diverged.',
    );
  }
}

function checkForbidden(
  {
    file,
    layout,
    forbidden,
  }: { readonly file: ManifestFile; readonly layout: Layout; readonly forbidden: BaseFacts['forbidden'] },
  problems: ProblemList,
): void {
  const models = new Map<Sha256, string>();
  for (const { model, digests } of forbidden) for (const digest of digests) models.set(digest, model);
  for (const [name, digest] of tensorDigests(layout, file.chunks)) {
    const model = models.get(digest);
    if (model === undefined) continue;
    const message = `${quoteName(name)} is to the byte that of ${quoteName(model)} (digest ${digest}), which may not be submitted`;
    problems.add(
      'tensor.forbidden',
      partOf(file.path, name),
      message,
      'Train from the base; forbidden weights are no start.',
    );
  }
}
