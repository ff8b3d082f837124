import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const environmentSchema = z.object({
  VTB_DATA: z.string().min(1).default('.vtb'),
  VTB_GATEWAY_URL: z.url().optional(),
});

/** What the courier was started for. */
export type Errand =
  | { readonly kind: 'run' }
  | { readonly kind: 'export'; readonly drive: string }
  | { readonly kind: 'import'; readonly drive: string };

/** The courier's settings, parsed once. Without a gateway it is in the enclave, and only carries to and from drives. */
export interface CourierConfig {
  readonly gatewayUrl: string | null;
  readonly keyPath: string;
  readonly spool: string;
  readonly errand: Errand;
}

/** Reads environment and arguments. throws Error with one sentence for what can't be done. */
export function readCourierConfig(
  environment: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): CourierConfig {
  const env = environmentSchema.parse(environment);
  const { values } = parseArgs({
    args: [...args],
    options: { export: { type: 'string' }, import: { type: 'string' } },
  });
  const errand = errandOf(values.export, values.import);
  if (errand.kind === 'run' && env.VTB_GATEWAY_URL === undefined) {
    throw new Error(
      'VTB_GATEWAY_URL is not set: set it, or carry by hand with --export DRIVE and --import DRIVE',
    );
  }
  return {
    gatewayUrl: env.VTB_GATEWAY_URL ?? null,
    keyPath: join(env.VTB_DATA, 'courier/keys/courier.json'),
    spool: join(env.VTB_DATA, 'spool'),
    errand,
  };
}

/** The settings of this process. */
export function courierConfig(): CourierConfig {
  return readCourierConfig(process.env, process.argv.slice(2));
}

function errandOf(to: string | undefined, from: string | undefined): Errand {
  if (to !== undefined && from !== undefined) throw new Error('give --export or --import, not both');
  if (to !== undefined) return { kind: 'export', drive: to };
  return from === undefined ? { kind: 'run' } : { kind: 'import', drive: from };
}
