import type { Dtype } from './tensor.ts';

const whole = new Map<number, Dtype>([
  [0, 'F32'],
  [1, 'F16'],
  [24, 'I8'],
  [25, 'I16'],
  [26, 'I32'],
  [27, 'I64'],
  [28, 'F64'],
  [30, 'BF16'],
]);

/** Block formats, by name only: a trained checkpoint is whole, and a quantized one can't equal its base. */
const quantized = new Map([
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [6, 'Q5_0'],
  [7, 'Q5_1'],
  [8, 'Q8_0'],
  [9, 'Q8_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K'],
  [12, 'Q4_K'],
  [13, 'Q5_K'],
  [14, 'Q6_K'],
  [15, 'Q8_K'],
  [16, 'IQ2_XXS'],
  [17, 'IQ2_XS'],
  [18, 'IQ3_XXS'],
  [19, 'IQ1_S'],
  [20, 'IQ4_NL'],
  [21, 'IQ3_S'],
  [22, 'IQ2_S'],
  [23, 'IQ4_XS'],
  [29, 'IQ1_M'],
  [34, 'TQ1_0'],
  [35, 'TQ2_0'],
  [39, 'MXFP4'],
]);

/**
 * The element type that a GGUF type number stands for, or the clause that refuses it.
 *
 * Source: `enum ggml_type` of ggml.h.
 */
export function ggufDtype(number: number): { readonly dtype: Dtype } | { readonly fault: string } {
  const dtype = whole.get(number);
  if (dtype !== undefined) return { dtype };
  const name = quantized.get(number);
  if (name !== undefined) return { fault: `is quantized (${name}); weights must be whole` };
  return {
    fault: `has element type ${number}; known are ${[...whole].map(([id, known]) => `${id} (${known})`).join(', ')}`,
  };
}
