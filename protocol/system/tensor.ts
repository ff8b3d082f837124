import type { SystemProblem } from './problemList.ts';
import type { ByteRange } from './readAt.ts';

/** Element types that a weights file may have, with their bytes; safetensors' names serve for GGUF too. */
export const dtypeBytes = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  F8_E5M2: 1,
  F8_E4M3: 1,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
} as const;

/** An element type of a tensor. */
export type Dtype = keyof typeof dtypeBytes;

/** The names of all element types, in a fixed order. */
export const dtypes = Object.keys(dtypeBytes).filter(isDtype);

/** Whether a name is an element type that a weights file may have. */
export function isDtype(name: string): name is Dtype {
  return Object.hasOwn(dtypeBytes, name);
}

/** What a header says about a tensor. `shape` is in the file's own order; `size` = shape × dtype in bytes. */
export interface TensorFacts {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly size: number;
}

/** A tensor and where its bytes begin in the file. */
export interface PlacedTensor extends TensorFacts {
  readonly offset: number;
}

/** A weights file whose every byte is accounted for. */
export interface Layout {
  readonly fileSize: number;
  /** Where the header's run ends and tensor bytes begin. */
  readonly dataOffset: number;
  /** By offset; a zero-byte tensor before the one that shares its offset. */
  readonly tensors: readonly PlacedTensor[];
  /** Bytes of no tensor, after the header or between tensors; they must be zero. By offset. */
  readonly padding: readonly ByteRange[];
}

/**
 * What a parser found. `tensors` has what could be read, in the header's order; `layout` is null when
 * offsets, sizes or the header are wrong, and then `problems` says why.
 */
export interface ParsedWeights {
  readonly tensors: readonly TensorFacts[];
  readonly layout: Layout | null;
  readonly problems: readonly SystemProblem[];
}

/**
 * Bytes of a tensor: shape × dtype, or null when that is more than `max`. Exact for every shape: the
 * product of hostile dimensions would round, or wrap to a small number.
 */
export function tensorBytes(shape: readonly (number | bigint)[], dtype: Dtype, max: number): number | null {
  let product = BigInt(dtypeBytes[dtype]);
  // A zero anywhere makes the tensor empty, however large the others are.
  if (shape.some((length) => BigInt(length) === 0n)) return 0;
  for (const length of shape) {
    product *= BigInt(length);
    if (product > BigInt(max)) return null;
  }
  return Number(product);
}
