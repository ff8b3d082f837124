import { z } from 'zod';
import { chatTemplateNames } from './serving/chatTemplate.ts';

/** What an engine's process of ours reads from stdin, as one JSON line. */
export const serverConfig = z.strictObject({
  weightsPath: z.string(),
  socketPath: z.string().max(107),
  settings: z.strictObject({
    template: z.enum(chatTemplateNames),
    contextTokensMax: z.int().min(1),
    outputTokensMax: z.int().min(1),
    concurrencyMax: z.int().min(1).max(256),
    queueMax: z.int().min(0),
    threads: z.int().min(1),
    memoryBytesMax: z.int().min(1),
    loadTimeoutMs: z.int().min(1),
  }),
});

/** A parsed configuration. */
export type ServerConfig = z.infer<typeof serverConfig>;

/** What it answers on stdout. The process runs hostile weights, so nothing that a receipt says comes from it. */
export const serverMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('refused'), message: z.string().max(500) }),
]);

/** Either message. */
export type ServerMessage = z.infer<typeof serverMessage>;
