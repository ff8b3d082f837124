import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** How a call of the command line ended. */
export interface VtbRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The JSON document on stdout; undefined when stdout is not one. */
  readonly document: unknown;
}

/** Output kept of one call; a feedback is some ten KiB. */
const outputMax = 8 * 1024 * 1024;

/** Runs `vtb` as a team would, as a process of its own with exactly this environment. Never throws for its exit code. */
export function runVtb(
  args: readonly string[],
  input: { readonly root: string; readonly env: Readonly<Record<string, string>>; readonly stdin?: string },
): Promise<VtbRun> {
  const child = spawn(process.execPath, [join(input.root, 'cli/main.ts'), ...args], {
    env: input.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 240_000,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] = (said[name] + text).slice(-outputMax);
    });
  }
  child.stdin.on('error', () => undefined).end(input.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, ...said, document: parsed(said.stdout) }));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
