import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { BoxFiles } from './boxScript.ts';
import { isolatedCommand } from './isolatedCommand.ts';
import { parseMountTable } from './mountTable.ts';
import type { IsolatedSpec } from './spec.ts';
import { systemTools } from './systemTools.ts';

/** How a process ended: exactly one of code and signal is set, or `error` when it never started. */
export type ProcessEnd = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
};

/** A running isolated process. Its stdin is its lifeline: children of ours end when it closes. */
export type IsolatedProcess = {
  /** Of the outermost process; the command itself has another pid in levels with a pid namespace. */
  readonly pid: number | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves, never rejects, when the process and everything in its box is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the whole tree; twice is the same as once. Resolves with `ended`. */
  kill(): Promise<ProcessEnd>;
};

/** After death, how long an escaped grandchild may keep our pipes open before they are closed on it. */
const pipeGraceMs = 2_000;

/**
 * Starts a process at an isolation level, with a clean environment and kernel limits.
 *
 * The tree dies as one: with its pid namespace where there is one, else as a process group; and with the runner
 * (parent-death signal where setpriv exists). An aborted `signal` kills it.
 *
 * throws   Error when a listed path doesn't exist or a needed program is missing; a command that can't be
 *          executed shows in `ended`.
 */
export function spawnIsolated(spec: IsolatedSpec): IsolatedProcess {
  spec.signal.throwIfAborted();
  const isBoxed = spec.level !== 'process';
  const files = boxFiles(spec, isBoxed ? boxRoot() : '/nowhere');
  const table = isBoxed ? parseMountTable(readFileSync('/proc/self/mountinfo', 'utf8')) : [];
  const line = isolatedCommand(spec, files, {
    tools: systemTools(),
    table,
    canDropCapabilities: holdsSetpcap(),
  });
  const child = spawn(line.file, [...line.args], {
    env: { ...spec.env },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return watch(child, spec.signal);
}

/**
 * One mount point for all boxes of this user: each mounts its root there in a mount namespace of its own, so outside
 * it stays an empty folder that needs no cleaning up.
 */
function boxRoot(): string {
  const dir = join(tmpdir(), `vtb-box-${process.getuid?.() ?? 0}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stat = lstatSync(dir);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
    throw new Error(`${dir} belongs to somebody else; remove it`);
  }
  return dir;
}

/** Whether this process may empty its children's capability bounding set (CAP_SETPCAP, bit 8). */
function holdsSetpcap(): boolean {
  if (!existsSync('/proc/self/status')) return false;
  const effective = /^CapEff:\s+([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & (1n << 8n)) !== 0n;
}

function watch(child: ChildProcess, signal: AbortSignal): IsolatedProcess {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null)
    throw new Error('an isolated process needs its pipes');
  // A child that dies first makes writes fail with EPIPE; its end is reported by `ended`.
  stdin.on('error', () => {});
  let hasEnded = false;
  const killTree = () => {
    if (hasEnded || child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  const ended = new Promise<ProcessEnd>((resolve) => {
    let end: ProcessEnd = { code: null, signal: null, error: null };
    const finish = () => {
      if (hasEnded) return;
      hasEnded = true;
      signal.removeEventListener('abort', killTree);
      resolve(end);
    };
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      end = { code: null, signal: null, error };
      finish();
    });
    child.once('exit', (code, sig) => {
      // What outlived the leader of its group at level `process` goes now.
      if (child.pid !== undefined) killGroup(child.pid);
      end = { code, signal: sig, error: null };
      const timer = setTimeout(() => {
        stdout.destroy();
        stderr.destroy();
        finish();
      }, pipeGraceMs);
      child.once('close', () => {
        clearTimeout(timer);
        finish();
      });
    });
  });
  signal.addEventListener('abort', killTree, { once: true });
  return {
    pid: child.pid ?? null,
    stdin,
    stdout,
    stderr,
    ended,
    kill: () => {
      killTree();
      return ended;
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: nobody is left.
  }
}

function boxFiles(spec: IsolatedSpec, rootDir: string): BoxFiles {
  const system = [
    '/usr',
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/etc/ld.so.cache',
    '/etc/ld.so.conf',
  ];
  const present = system.flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, stat }];
  });
  const listed = [...spec.readOnlyPaths, dirname(realpathSync(spec.command))].map((p) => realpathSync(p));
  const systemFolders = present.filter((p) => !p.stat.isSymbolicLink()).map((p) => p.path);
  const paths = withoutNested([...systemFolders, ...listed]);
  return {
    rootDir,
    readOnly: paths.map((path) => ({ path, isFolder: statSync(path).isDirectory() })),
    writableDir: spec.writableDir === null ? null : realpathSync(spec.writableDir),
    links: present
      .filter((p) => p.stat.isSymbolicLink())
      .map((p) => ({ path: p.path, target: readlinkSync(p.path) })),
  };
}

/** A folder brings what lies in it along; binding both would mount the inner one twice. */
function withoutNested(paths: readonly string[]): readonly string[] {
  const unique = [...new Set(paths)];
  return unique.filter((p) => !unique.some((other) => other !== p && p.startsWith(`${other}/`)));
}
