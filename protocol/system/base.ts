import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { systemLimits } from './limits.ts';
import { type Dtype, dtypeBytes } from './tensor.ts';

const text = (max: number) =>
  z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);

const wholeNumber = z.int('must be a whole number').min(0, 'must not be negative');

const dtypeSchema = z.enum(Object.keys(dtypeBytes) as [Dtype, ...Dtype[]], {
  error: 'must be a known element type',
});

/** A tensor of the base. `digest` is that of its chunk list in the canonical cut. */
const baseTensorSchema = z
  .strictObject({
    name: text(systemLimits.tensorNameBytesMax),
    dtype: dtypeSchema,
    shape: z.array(wholeNumber).max(systemLimits.tensorDimensionsMax).readonly(),
    size: wholeNumber,
    digest: sha256Schema,
  })
  .readonly();

/** A model whose tensors may not be submitted: digests of those of its tensors that the base doesn't have. */
const forbiddenSchema = z
  .strictObject({
    model: text(200),
    digests: z.array(sha256Schema).max(systemLimits.tensorCountMax).readonly(),
  })
  .readonly();

const common = {
  schema: z.literal(1, { error: 'must be 1' }),
  /** The base model's name, for messages. */
  model: text(200),
  tensors: z.array(baseTensorSchema).min(1, 'must have a tensor').max(systemLimits.tensorCountMax).readonly(),
  forbidden: z.array(forbiddenSchema).max(100, 'must be at most 100').readonly(),
};

const ggufBaseSchema = z
  .strictObject({
    format: z.literal('gguf'),
    ...common,
    /** The whole base file's bytes, padding included: also the bytes of what `planGgufRewrite` makes. */
    fileSize: wholeNumber,
    /** The header's bytes, from the magic to the padding before tensor data, and their SHA-256. */
    headerSize: wholeNumber,
    headerDigest: sha256Schema,
    architecture: text(64),
    /** Every key of the base that isn't descriptive; digests as in `GgufValue`. */
    keys: z
      .array(
        z
          .strictObject({
            key: text(systemLimits.ggufKeyBytesMax),
            type: text(40),
            digest: sha256Schema,
            shown: text(400),
          })
          .readonly(),
      )
      .max(systemLimits.ggufKeyCountMax)
      .readonly(),
  })
  .readonly();

const safetensorsBaseSchema = z
  .strictObject({
    format: z.literal('safetensors'),
    ...common,
    /** Files beside the weights that must be the base's when they are there; digest of the chunk list. */
    files: z
      .array(z.strictObject({ name: text(200), digest: sha256Schema }).readonly())
      .max(100)
      .readonly(),
    /** Prefixes that honest savers write otherwise: a name that starts with `from` is also tried with `to`. */
    renames: z
      .array(z.strictObject({ from: z.string().max(200), to: z.string().max(200) }).readonly())
      .max(100)
      .readonly(),
    /** Prefixes of tensors that may be missing, such as a vision tower's; the base's are then used. */
    optionalPrefixes: z.array(text(200)).max(100).readonly(),
  })
  .readonly();

/**
 * base.json: what a track's base model is, so that a team's weights can be compared with it without having
 * it. Shapes are in the file's own order (GGUF: fastest dimension first).
 */
export const baseFactsSchema = z.discriminatedUnion('format', [ggufBaseSchema, safetensorsBaseSchema]);

/** What a track's base model is. */
export type BaseFacts = z.infer<typeof baseFactsSchema>;

/** What a track's base model is, as one GGUF file. */
export type GgufBaseFacts = Extract<BaseFacts, { format: 'gguf' }>;

/** What a track's base model is, as a folder of safetensors. */
export type SafetensorsBaseFacts = Extract<BaseFacts, { format: 'safetensors' }>;

/** A tensor of the base. */
export type BaseTensor = BaseFacts['tensors'][number];

/**
 * The base with further models forbidden: their tensors' digests, without those the base shares.
 *
 * forbidden  facts of whole models in the base's format, made by `makeBaseFacts`.
 */
export function forbidModels<Facts extends BaseFacts>(base: Facts, forbidden: readonly BaseFacts[]): Facts {
  const own = new Set(base.tensors.map((tensor) => tensor.digest));
  const added = forbidden.map(({ model, tensors }) => ({
    model,
    // Sorted, so that the facts don't depend on the forbidden file's order.
    digests: [...new Set(tensors.filter(({ size }) => size > 0).map(({ digest }) => digest))]
      .filter((digest) => !own.has(digest))
      .sort(),
  }));
  return { ...base, forbidden: [...base.forbidden, ...added] };
}
