import { type BoxFiles, boxScript } from './boxScript.ts';
import type { MountEntry } from './mountTable.ts';
import type { IsolatedSpec } from './spec.ts';
import type { SystemTools } from './systemTools.ts';

/** A program and its arguments, ready for `spawn`. */
export type CommandLine = { readonly file: string; readonly args: readonly string[] };

/**
 * The command line that starts `spec` at its level. Pure: files and tools were looked up by the caller.
 *
 * Outside in: setpriv (dies with the runner) → unshare (namespaces; killing it kills pid 1 of the box and so
 * everything in it) → sh (private root) → setpriv (uid, no capabilities, no new privileges) → prlimit → command.
 *
 * throws   Error naming the missing program, at levels that can't do without it.
 */
export function isolatedCommand(
  spec: IsolatedSpec,
  files: BoxFiles,
  host: {
    readonly tools: SystemTools;
    readonly table: readonly MountEntry[];
    /** Whether the caller holds CAP_SETPCAP. */
    readonly canDropCapabilities: boolean;
  },
): CommandLine {
  const { tools } = host;
  if (spec.level === 'process')
    return join([...plainArmour(tools, host.canDropCapabilities), ...limits(spec, tools), ...inner(spec)]);
  const setpriv = need(tools, 'setpriv');
  const hasUid = spec.level === 'process+uid+netns';
  const script = boxScript(files, { mount: need(tools, 'mount'), chroot: need(tools, 'chroot') }, host.table);
  return join([
    ...[setpriv, '--pdeathsig', 'KILL', '--'],
    ...[need(tools, 'unshare'), ...(hasUid ? [] : ['--map-root-user'])],
    ...['--net', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL', '--'],
    ...[need(tools, 'sh'), '-c', script, 'box'],
    ...[setpriv, ...(hasUid ? identity(spec) : []), ...noPrivileges, '--pdeathsig', 'KILL', '--'],
    ...limits(spec, { ...tools, prlimit: need(tools, 'prlimit') }),
    ...inner(spec),
  ]);
}

const noPrivileges = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'];

function identity(spec: IsolatedSpec): readonly string[] {
  if (spec.uid === null) throw new Error('level process+uid+netns needs a uid');
  const groups = spec.groups.length === 0 ? ['--clear-groups'] : ['--groups', spec.groups.join(',')];
  return ['--reuid', `${spec.uid}`, '--regid', `${spec.uid}`, ...groups];
}

/** A root runner's child would keep root's capabilities otherwise; others have none to drop. */
function plainArmour(tools: SystemTools, canDropCapabilities: boolean): readonly string[] {
  if (tools.setpriv === null) return [];
  const drop = canDropCapabilities ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return [tools.setpriv, '--pdeathsig', 'KILL', ...drop, '--no-new-privs', '--'];
}

function limits(spec: IsolatedSpec, tools: SystemTools): readonly string[] {
  if (tools.prlimit === null) return [];
  const l = spec.limits;
  // At `process` the kernel counts all of the user's processes, so a bound would depend on the neighbours.
  const processes = spec.level === 'process' ? [] : [`--nproc=${l.processesMax}`];
  return [
    tools.prlimit,
    `--data=${l.memoryBytesMax}`,
    `--nofile=${l.openFilesMax}`,
    `--fsize=${l.fileBytesMax}`,
    `--cpu=${l.cpuSecondsMax}`,
    '--core=0',
    ...processes,
    '--',
  ];
}

function inner(spec: IsolatedSpec): readonly string[] {
  return [spec.command, ...spec.args];
}

function need(tools: SystemTools, name: keyof SystemTools): string {
  const path = tools[name];
  if (path === null)
    throw new Error(`${name} isn't installed; this isolation level needs it (package util-linux)`);
  return path;
}

function join(words: readonly string[]): CommandLine {
  const [file, ...args] = words;
  if (file === undefined) throw new Error('an isolated process needs a command');
  return { file, args };
}
