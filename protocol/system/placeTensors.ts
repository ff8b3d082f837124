import { groupDigits } from './groupDigits.ts';
import type { ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import type { ByteRange } from './readAt.ts';
import type { Layout, PlacedTensor } from './tensor.ts';

/** What placing needs to know of a file. */
export interface Placing {
  readonly path: string;
  readonly fileSize: number;
  /** Where the header's last byte ends; less than `dataOffset` when padding follows it. */
  readonly headerEnd: number;
  readonly dataOffset: number;
  /** Tensors start at multiples of this from `dataOffset`; 1 where there is no padding. */
  readonly alignment: number;
  readonly tensors: readonly PlacedTensor[];
}

/**
 * Accounts for every byte of a weights file: each tensor inside it, aligned, without overlap, and nothing
 * between them but padding shorter than the alignment.
 *
 * returns  the layout, or null when something is wrong; then each fault is in `problems`.
 */
export function placeTensors(placing: Placing, problems: ProblemList): Layout | null {
  const { path, fileSize, headerEnd, dataOffset, alignment } = placing;
  let sound = true;
  const fault = (tensor: PlacedTensor, message: string) => {
    sound = false;
    const fix = 'Save the weights again with an unmodified writer.';
    problems.add('tensor.layout', partOf(path, tensor.name), `${quoteName(tensor.name)} ${message}`, fix);
  };
  const tensors = [...placing.tensors].sort((a, b) => a.offset - b.offset || a.size - b.size);
  const padding: ByteRange[] = dataOffset > headerEnd ? [range(headerEnd, dataOffset)] : [];
  let end = dataOffset;
  for (const tensor of tensors) {
    const begin = tensor.offset;
    if (begin + tensor.size > fileSize) {
      fault(tensor, `ends at byte ${groupDigits(begin + tensor.size)} of a file of ${groupDigits(fileSize)}`);
      // What it states to cover is not reported as a hole as well.
      end = Math.max(end, Math.min(fileSize, begin + tensor.size));
      continue;
    }
    const expected = dataOffset + roundUp(end - dataOffset, alignment);
    if ((begin - dataOffset) % alignment !== 0) {
      fault(
        tensor,
        `starts at byte ${groupDigits(begin)}, which is not aligned to ${groupDigits(alignment)}`,
      );
    } else if (begin < end) {
      fault(
        tensor,
        `starts at byte ${groupDigits(begin)}, inside the tensor that ends at ${groupDigits(end)}`,
      );
    } else if (begin > expected) {
      fault(tensor, `starts at byte ${groupDigits(begin)}; bytes from ${groupDigits(end)} belong to nothing`);
    }
    if (begin > end) padding.push(range(end, begin));
    end = Math.max(end, begin + tensor.size);
  }
  const last = dataOffset + roundUp(end - dataOffset, alignment);
  if (fileSize < dataOffset || (fileSize !== end && fileSize !== last)) {
    sound = false;
    const message = `the tensors end at byte ${groupDigits(end)} of a file of ${groupDigits(fileSize)}`;
    problems.add(
      'tensor.layout',
      path,
      message,
      'Save the file again: it is cut off or has something appended.',
    );
  }
  if (!sound) return null;
  if (fileSize > end) padding.push(range(end, fileSize));
  return { fileSize, dataOffset, tensors, padding };
}

function range(from: number, to: number): ByteRange {
  return { offset: from, size: to - from };
}

/** Exact up to 2^53, where bit operations would not be. */
function roundUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
