import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { exec } from './exec.ts';

/** What the tests need from Debian, by the program that shows it is there. */
const needed = [
  { program: 'chromium', package: 'chromium' },
  { program: 'dockerd', package: 'docker.io' },
  { program: 'setpriv', package: 'util-linux' },
  { program: 'unshare', package: 'util-linux' },
] as const;

const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * As root on Debian or Ubuntu: installs those packages whose programs are missing; elsewhere does nothing, and the
 * tests that need them are skipped by name. A failed installation is said and not thrown: the tests then say it too.
 */
export async function ensureDebianPackages(root: string, env: NodeJS.ProcessEnv): Promise<void> {
  const missing = [...new Set(needed.filter(({ program }) => !isThere(program)).map((need) => need.package))];
  if (missing.length === 0 || process.getuid?.() !== 0 || !(await isDebian())) return;
  process.stderr.write(`installing from Debian's packages: ${missing.join(', ')}\n`);
  const options = {
    cwd: root,
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    words: 'toStderr',
  } as const;
  const updated = await exec('apt-get', ['update', '-q'], options);
  const installed = await exec(
    'apt-get',
    ['install', '-q', '-y', '--no-install-recommends', ...missing],
    options,
  );
  if (updated.code !== 0 || installed.code !== 0) process.stderr.write('apt-get failed; going on without\n');
}

/** Whether a program is in one of the system's folders. */
export function isThere(program: string): boolean {
  return folders.some((folder) => existsSync(`${folder}/${program}`));
}

async function isDebian(): Promise<boolean> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(release);
}
