import type { BaseFacts } from './base.ts';

/** What a track lets a system be; the part of a season that inspection needs. */
export interface TrackRules {
  /** The track's id, which the manifest must name. */
  readonly track: string;
  /** What may be changed on this track. */
  readonly edits: readonly ('data' | 'trainer' | 'harness')[];
  /** One .gguf file, or a folder of safetensors in the Hugging Face layout. */
  readonly weightsFormat: 'gguf' | 'safetensors';
  /**
   * What weights are compared with, of the same format, with the digests that are refused. Null only on a
   * preview: then weights are checked to be sound and finite, and compared with nothing.
   */
  readonly base: BaseFacts | null;
}
