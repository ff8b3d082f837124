#!/usr/bin/env node
// `npx vtb` in a clone: runs the command line on the pinned Node, whatever Node the host has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pinned = join(dirname(here), 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
const major = Number(process.versions.node.split('.')[0]);
const node = existsSync(pinned) ? pinned : process.execPath;
if (node !== pinned && major < 24) {
  console.error(
    `vtb needs Node 24 or the packages of this clone (npm ci); this is Node ${process.versions.node}`,
  );
  process.exit(2);
}

const child = spawn(node, [join(here, 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(error.message);
  process.exitCode = 2;
});
child.once('exit', (code, signal) => {
  if (code !== null) process.exitCode = code;
  else {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
});
