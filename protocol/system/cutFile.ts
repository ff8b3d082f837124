import { type Cut, canonicalCut } from './cut.ts';
import { parseGguf } from './gguf.ts';
import type { ReadAt } from './readAt.ts';
import { parseSafetensors } from './safetensors.ts';

/**
 * How one file of a system is cut, for whoever writes its manifest: reads only its header.
 *
 * path  the manifest path; its ending says whether it is a weights file. One that can't be parsed is cut
 *       as one run: inspection says what is wrong with it.
 */
export async function cutFile(
  file: { readonly path: string; readonly size: number },
  readAt: ReadAt,
): Promise<Cut> {
  if (!file.path.startsWith('weights/')) return canonicalCut(file.size, null);
  if (file.path.endsWith('.gguf')) return canonicalCut(file.size, (await parseGguf(file, readAt)).layout);
  if (file.path.endsWith('.safetensors')) {
    return canonicalCut(file.size, (await parseSafetensors(file, readAt)).layout);
  }
  return canonicalCut(file.size, null);
}
