import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** The processes of a service, by what they are. */
export const processNames = [
  'gateway',
  'grader',
  'courier',
  'runner',
  'proxy',
  'engine',
  'postgres',
] as const;
export type ProcessName = (typeof processNames)[number];

/** The script that each process of ours runs; Postgres is known by its program. */
const scripts: Readonly<Record<Exclude<ProcessName, 'postgres'>, string>> = {
  gateway: '/gateway/main.ts',
  grader: '/grader/main.ts',
  courier: '/grader/courier/main.ts',
  runner: '/runners/main.ts',
  proxy: '/runners/proxy/main.ts',
  engine: '/runners/engines/llamaCppServer.ts',
};

/** A process as the kernel shows it. */
interface Shown {
  readonly pid: number;
  readonly parent: number;
  readonly command: readonly string[];
}

/**
 * The pids of one kind of process below a supervisor. Wrappers (setpriv, unshare) that carry the same command line are
 * not among them: only Node itself, and of Postgres the postmaster.
 */
export async function pidsOf(name: ProcessName, supervisor: number): Promise<readonly number[]> {
  const all = await descendants(supervisor);
  if (name === 'postgres')
    return all
      .filter(({ command, parent }) => basename(command[0] ?? '') === 'postgres' && parent === supervisor)
      .map(({ pid }) => pid);
  return all
    .filter(
      ({ command: [program = '', ...args] }) =>
        isNode(program) && args.some((word) => word.endsWith(scripts[name])),
    )
    .map(({ pid }) => pid);
}

/** Every process below a supervisor, itself not counted. */
export async function descendants(supervisor: number): Promise<readonly Shown[]> {
  const all = await shownProcesses();
  const below = new Set([supervisor]);
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  below.delete(supervisor);
  return all.filter(({ pid }) => below.has(pid));
}

function isNode(program: string): boolean {
  return basename(program) === 'node';
}

async function shownProcesses(): Promise<readonly Shown[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const shown = await Promise.all(names.map(readProcess));
  return shown.flatMap((one) => (one === undefined ? [] : [one]));
}

/** Undefined for one that ended meanwhile. */
async function readProcess(name: string): Promise<Shown | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8'),
      readFile(`/proc/${name}/cmdline`, 'utf8'),
    ]);
    // The program's name stands in parentheses and may hold anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid: Number(name), parent: Number(parent), command: command.split('\0').slice(0, -1) };
  } catch {
    return undefined;
  }
}
