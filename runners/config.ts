import { join, resolve } from 'node:path';
import { z } from 'zod';

const environmentSchema = z.object({
  VTB_DATA: z.string().min(1).default('.vtb'),
  VTB_DESK_URL: z.url().optional(),
  VTB_SANDBOX: z.enum(['auto', 'docker', 'none']).default('auto'),
});

/** The runner's settings, parsed once. */
export type RunnerConfig = {
  /** Where the desk is: an address, or the file in which the grader of this machine writes it. */
  readonly desk:
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'file'; readonly path: string };
  readonly keyPath: string;
  /** The runner's own folder; everything in it is removed at start. One runner for each data folder. */
  readonly workDir: string;
  readonly sandbox: 'auto' | 'docker' | 'none';
};

/** Reads the runner's settings. throws ZodError naming every wrong variable. */
export function readRunnerConfig(environment: Readonly<Record<string, string | undefined>>): RunnerConfig {
  const env = environmentSchema.parse(environment);
  const data = resolve(env.VTB_DATA);
  return {
    desk:
      env.VTB_DESK_URL === undefined
        ? { kind: 'file', path: join(data, 'grader/desk.url') }
        : { kind: 'url', url: env.VTB_DESK_URL },
    keyPath: join(data, 'runner/keys/runner.json'),
    workDir: join(data, 'runner/work'),
    sandbox: env.VTB_SANDBOX,
  };
}

/** The settings of this process. */
export function runnerConfig(): RunnerConfig {
  return readRunnerConfig(process.env);
}
