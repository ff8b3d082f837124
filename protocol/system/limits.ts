const mebibyte = 1024 * 1024;

/** Every bound of a system on disk, in one place; a message that refuses for one of them names its number. */
export const systemLimits = {
  /** A chunk is what is uploaded, hashed and retried as one. */
  chunkBytesMax: 16 * mebibyte,
  /** A file's bytes: four times the largest weights file in use, and far below 2^53. */
  fileBytesMax: 256 * 1024 * mebibyte,
  /** A whole system; a track may allow less. */
  systemBytesMax: 256 * 1024 * mebibyte,
  /** 256 GiB in full chunks is 16,384; tensors smaller than a chunk need one each. */
  chunkCountMax: 65_536,
  /** The canonical manifest is itself a chunk; 65,536 chunks of about 95 bytes fit. */
  manifestBytesMax: 8 * mebibyte,
  harnessFileCountMax: 5_000,
  harnessBytesMax: 64 * mebibyte,
  /** Shards and the small files beside them. */
  weightsFileCountMax: 300,
  /** Harness, weights, system.toml and research.jsonl. */
  fileCountMax: 5_302,
  descriptionBytesMax: 64 * 1024,
  researchLogBytesMax: 64 * mebibyte,
  /** Windows refuses paths from 260 characters; the folder that holds the system needs some of them. */
  pathBytesMax: 200,
  pathDepthMax: 16,
  /** The config, index and tokenizer files beside the weights; the largest tokenizer.json in use is 33 MB. */
  sideFileBytesMax: 64 * mebibyte,
  /** Files that are read as JSON in full: configs and the index. */
  jsonBytesMax: 16 * mebibyte,
  /** A header of 65,536 tensors at some 200 bytes each fits. */
  safetensorsHeaderBytesMax: 16 * mebibyte,
  /** A vocabulary of 262,144 tokens with its merges takes about 12 MiB. */
  ggufHeaderBytesMax: 64 * mebibyte,
  ggufKeyCountMax: 1_024,
  ggufKeyBytesMax: 256,
  ggufStringBytesMax: mebibyte,
  ggufArrayLengthMax: 4_194_304,
  /** The engine keeps names in 64 bytes with a closing zero. */
  ggufTensorNameBytesMax: 63,
  ggufDimensionsMax: 4,
  ggufAlignmentMax: 4_096,
  tensorCountMax: 65_536,
  tensorNameBytesMax: 256,
  tensorDimensionsMax: 8,
} as const;
