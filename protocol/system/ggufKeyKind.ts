/**
 * What a GGUF key is: `descriptive` keys say things about the model to people and are ignored; `functional`
 * ones change what an engine computes and must equal the base's; `unknown` ones are refused, since what an
 * engine of tomorrow does with them can't be known today.
 */
export type GgufKeyKind = 'descriptive' | 'functional' | 'unknown';

const descriptive = new Set(
  [
    'name',
    'author',
    'version',
    'organization',
    'finetune',
    'basename',
    'description',
    'quantized_by',
    'size_label',
    'license',
    'license.name',
    'license.link',
    'url',
    'doi',
    'uuid',
    'repo_url',
    'source.url',
    'source.doi',
    'source.uuid',
    'source.repo_url',
    'source.huggingface.repository',
    'base_model.count',
    'dataset.count',
    'tags',
    'languages',
    'datasets',
  ].map((key) => `general.${key}`),
);

/** One of several base models or datasets, as general.base_model.0.repo_url. */
const numbered =
  /^general\.(?:base_model|dataset)\.[0-9]{1,3}\.(?:name|author|version|organization|description|url|doi|uuid|repo_url)$/;

const functionalGeneral = new Set([
  'general.architecture',
  'general.type',
  'general.alignment',
  'general.file_type',
  'general.quantization_version',
]);

/**
 * Families whose keys all change what an engine does. `split.*` and `adapter.*` never equal a base's, which
 * is one whole file; they are named here so that their refusal says what they are.
 */
const functionalFamilies = ['tokenizer.', 'general.sampling.', 'split.', 'adapter.', 'clip.', 'quantize.'];

/**
 * What a key is, by its name alone.
 *
 * architecture  the base's general.architecture: keys under it are functional.
 * Source: ggml's docs/gguf.md, "Standardized key-value pairs", and llama.cpp's LLM_KV names.
 */
export function ggufKeyKind(key: string, architecture: string): GgufKeyKind {
  if (descriptive.has(key) || numbered.test(key)) return 'descriptive';
  if (functionalGeneral.has(key) || key.startsWith(`${architecture}.`)) return 'functional';
  return functionalFamilies.some((family) => key.startsWith(family)) ? 'functional' : 'unknown';
}
