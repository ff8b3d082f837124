import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** How a command ended. */
export interface Ending {
  readonly code: number;
  /** What it said, both streams together, when it was kept; at most the last 200,000 characters. */
  readonly output: string;
}

/** Where a command's words go: to our stdout and stderr, both to stderr, or kept for later. */
export type Words = 'shown' | 'toStderr' | 'kept';

/**
 * Runs a command to its end. Signals that would end us are passed to it instead, so that what we started besides is
 * put away after it has ended.
 */
export function exec(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly words: Words },
): Promise<Ending> {
  const { words, ...where } = options;
  const out = { shown: 'inherit', toStderr: 2, kept: 'pipe' } as const;
  const child = spawn(file, args, {
    ...where,
    stdio: ['ignore', out[words], words === 'kept' ? 'pipe' : 'inherit'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-200_000);
    });
  }
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  const ending = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
  return ending.finally(() => {
    for (const signal of signals) process.off(signal, pass);
  });
}

/** The file that npm links as `node_modules/.bin/<name>`; it runs on this Node. */
export function installedBin(root: string, name: string): string {
  return join(root, 'node_modules', '.bin', name);
}
