import type { SystemProblemCode } from './problemList.ts';

/**
 * Files beside safetensors that the track owns. They may be sent, since every saver writes them, but must
 * be the base's to the byte: a model trained with another tokenizer or template would be judged with the
 * track's, and that is better said before it costs a try.
 */
export const trackOwnedFiles: ReadonlySet<string> = new Set([
  'tokenizer.json',
  'tokenizer.model',
  'vocab.json',
  'merges.txt',
  'added_tokens.json',
  'chat_template.jinja',
  'chat_template.json',
]);

/**
 * JSON files that savers rewrite with their own version numbers. The track's are used in their place; they
 * are read only to refuse what would make a different system of the weights.
 */
export const rewrittenFiles: ReadonlySet<string> = new Set([
  'config.json',
  'generation_config.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'preprocessor_config.json',
  'processor_config.json',
  'video_preprocessor_config.json',
]);

/** The file that says which shard has which tensor. */
export const indexFile = 'model.safetensors.index.json';

/** For people only; ignored. */
export const proseFiles: ReadonlySet<string> = new Set([
  'README.md',
  'LICENSE',
  'LICENSE.txt',
  'NOTICE',
  '.gitattributes',
]);

/** Why a file may not lie beside weights. */
export interface WeightsRefusal {
  readonly code: SystemProblemCode;
  /** A clause that follows the file's name. */
  readonly clause: string;
  readonly fix: string;
}

const tensorsOnly = 'Save the tensors as safetensors, with nothing else beside them.';

const refusals: readonly (WeightsRefusal & { readonly pattern: RegExp })[] = [
  {
    pattern: /\.(?:bin|pt|pth|ckpt|pkl|pickle|joblib|npy|npz|dill)$/,
    code: 'weights.pickle',
    clause: 'may be a pickle, which runs code when it is read',
    fix: tensorsOnly,
  },
  {
    pattern: /\.(?:py|pyc|pyd|so|dll|dylib|sh|js|cu|ptx|cubin|whl|egg|jar|ipynb)$/,
    code: 'weights.code',
    clause: 'is code; weights bring none',
    fix: 'Leave it out; the track says what runs.',
  },
  {
    pattern: /^(?:adapter_|lora|peft)/,
    code: 'weights.adapter',
    clause: 'belongs to an adapter; weights are whole',
    fix: 'Merge the adapter into the weights and save them.',
  },
  {
    pattern: /^(?:consolidated[.-].*|params\.json|.*\.(?:gguf|ggml|onnx|h5|msgpack|tflite|mlmodel|engine))$/,
    code: 'weights.copy',
    clause: 'is a second form of the weights, which an engine may take instead of the first',
    fix: 'Leave it out: weights are there once.',
  },
  {
    pattern:
      /^(?:quantize_config|quantization_config|quant_config|hf_quant_config|compression_config|recipe)\b/,
    code: 'weights.hook',
    clause: 'makes an engine quantize or replace layers',
    fix: 'Leave it out; weights are used as they are.',
  },
];

/** Why a file may not lie in weights/ of a safetensors track, or null when it may. By its name alone. */
export function weightsRefusal(name: string): WeightsRefusal | null {
  const lower = name.toLowerCase();
  const refusal = refusals.find(({ pattern }) => pattern.test(lower));
  if (refusal !== undefined) return refusal;
  if (name.endsWith('.safetensors') && !name.includes('/')) return null;
  if (name === indexFile || trackOwnedFiles.has(name) || rewrittenFiles.has(name) || proseFiles.has(name))
    return null;
  return { code: 'weights.file', clause: 'is not a file that weights have', fix: tensorsOnly };
}
