import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** How a call of the command line ended: its one JSON document, or why there is none. */
export type VtbAnswer =
  | { readonly kind: 'done'; readonly document: unknown }
  | { readonly kind: 'failed'; readonly code: number; readonly said: string };

/** What `vtb` takes beside the arguments. */
export interface VtbDeps {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs `vtb … --json` as a user would and reads its document. */
export function vtb(args: readonly string[], { root, env, signal }: VtbDeps): Promise<VtbAnswer> {
  const child = spawn(process.execPath, [join(root, 'cli', 'main.ts'), ...args, '--json'], {
    env,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] = (said[name] + text).slice(-4 * 1024 * 1024);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ kind: 'done', document: JSON.parse(said.stdout) });
      else resolve({ kind: 'failed', code: code ?? 1, said: `${said.stdout}${said.stderr}`.trim() });
    });
  });
}
