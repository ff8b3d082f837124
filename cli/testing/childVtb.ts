import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A call of the command line as a process of its own. */
export interface ChildVtb {
  /** Resolves when it has ended. */
  readonly ended: Promise<ChildEnd>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
  /** Most memory that it was seen to hold (Linux). */
  readonly peakBytes: () => number;
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
    readonly timeoutMs?: number;
  },
): ChildVtb {
  const [node, ...before] = input.command ?? [process.execPath, main];
  const child = spawn(node, [...before, ...args], {
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...input.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: input.timeoutMs ?? 120_000,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  child.stdin.on('error', () => undefined).end(input.stdin ?? '');
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 25);
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(looking);
      resolve({ code, ...said });
    });
  });
  return { ended, kill: (signal) => child.kill(signal), stderr: () => said.stderr, peakBytes: () => peak };
}

/** The kernel keeps the peak, so that a look now and then is enough. */
function peakOf(pid: number | undefined): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}
