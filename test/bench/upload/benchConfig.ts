/** What the upload benchmarks read of the environment, once: MiB of the payload; 2048 is the size of the published figures. */
export const payloadMiB = Number(process.env.VTB_BENCH_MIB ?? 256);
