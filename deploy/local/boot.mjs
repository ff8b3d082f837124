// What `npm start`, `npm test` and the others begin with, on whatever Node the host has (20 or newer): checks the
// platform, installs what is missing, then runs deploy/local/<verb>.ts on the pinned Node. Plain JavaScript,
// because Node 20 can't read the rest.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const verbs = ['start', 'test', 'check', 'bench', 'chaos', 'demo'];
const [verb = '', ...args] = process.argv.slice(2);

const problem = verbs.includes(verb) ? platformProblem() : `boot.mjs takes one of: ${verbs.join(', ')}`;
if (problem !== undefined) {
  console.error(problem);
  process.exit(2);
}
if (!isInstalled()) await install();
const script = join(root, 'deploy', 'local', `${verb}.ts`);
process.exitCode = await run(pinnedNode(), [script, ...args], 'inherit', 'ipc');

function platformProblem() {
  const { platform, arch } = process;
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) return `Node 20 or newer is needed; this is Node ${process.versions.node}.`;
  if (platform === 'darwin') {
    return major >= 24 ? undefined : `On macOS Node 24 is needed; this is Node ${process.versions.node}.`;
  }
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    return `This runs on Linux (x64 or arm64, glibc) and on macOS with Node 24, not on ${platform} ${arch}.`;
  }
  process.report.excludeNetwork = true;
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  if (glibc === undefined)
    return 'This needs a Linux with glibc (Debian, Ubuntu, Fedora, …); this one has another C library.';
  const [, minor = 0] = glibc.split('.').map(Number);
  return minor >= 28 ? undefined : `glibc 2.28 or newer is needed; this system has ${glibc}.`;
}

function pinnedNode() {
  if (process.platform === 'darwin') return process.execPath;
  return join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
}

// npm writes its own copy of the lock into node_modules as the last act of an installation, so an interrupted one
// has none, and one that differs from the lock is stale. Packages for other platforms are optional and not there.
function isInstalled() {
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages(join('node_modules', '.package-lock.json'));
  return (
    existsSync(pinnedNode()) &&
    Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
      const there = present[path];
      if (there === undefined) return optional === true || !path.includes('node_modules/');
      return there.version === version && there.integrity === integrity;
    })
  );
}

function lockedPackages(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  } catch {
    return {};
  }
}

async function install() {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  console.error('installing what is missing (npm ci, about a minute the first time)');
  const ticking = setInterval(() => console.error(`still installing, ${seconds()}`), 10_000);
  // npm's own file when npm started us: its `node` may be the very one that is being replaced.
  const npm = process.env.npm_execpath;
  const [file, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const code = await run(file, [...before, 'ci', '--loglevel=error', '--no-fund', '--no-audit'], 2);
  clearInterval(ticking);
  if (code !== 0) {
    console.error('npm ci failed; see above');
    process.exit(1);
  }
  console.error(`installed in ${seconds()}`);
}

// The child hears of our death through the closed channel ('ipc'), and of our signals from here.
function run(file, args, stdout, channel) {
  const stdio = ['inherit', stdout, 'inherit', ...(channel === undefined ? [] : [channel])];
  const child = spawn(file, args, { cwd: root, stdio });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  // A killed npm passes nothing on: then our parent is another one than at first.
  const { ppid } = process;
  const watch = () => process.ppid !== ppid && child.kill('SIGTERM');
  if (process.env.npm_lifecycle_event !== undefined) setInterval(watch, 500).unref();
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(console.error(error.message) ?? 1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
