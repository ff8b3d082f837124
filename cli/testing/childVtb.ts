import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A call of the command line as a process of its own. */
export interface ChildVtb {
  /** Resolves when it has ended. */
  readonly ended: Promise<ChildEnd>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
}

/** How it ended. */
export interface ChildEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** For tests: starts `vtb` with exactly this environment beside PATH. */
export function startVtb(
  args: readonly string[],
  input: {
    readonly env: Readonly<Record<string, string>>;
    readonly stdin?: string;
    /** What runs: the command line of this clone unless said. */
    readonly command?: readonly [string, ...string[]];
  },
): ChildVtb {
  const [node, ...before] = input.command ?? [process.execPath, main];
  const child = spawn(node, [...before, ...args], {
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...input.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  child.stdin.on('error', () => undefined).end(input.stdin ?? '');
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
  return { ended, kill: (signal) => child.kill(signal), stderr: () => said.stderr };
}
