import type { Environment } from '@vtb/protocol/messages/report.ts';
import { environmentSchema } from '@vtb/protocol/messages/report.ts';
import type { EngineFacts } from '../engines/engine.ts';

/**
 * What a receipt says a result was computed on.
 *
 * throws  ZodError when a fact doesn't fit the report's closed form: nothing is cut to fit.
 */
export function environmentOf(input: {
  readonly facts: EngineFacts;
  readonly engineDigest: string;
  readonly hardware: string;
}): Environment {
  const { facts } = input;
  const flags = { ...facts.flags, threads: facts.threads };
  return environmentSchema.parse({
    engine: `${facts.engine} ${facts.version}`,
    engineDigest: input.engineDigest,
    template: facts.templateDigest,
    flags: Object.entries(flags)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    hardware: input.hardware,
    isolation: facts.isolation,
    weights: facts.weightsDigest,
  });
}
