import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** Held for as long as this process lives or until `release` is called. */
export interface Hold {
  release(): Promise<void>;
}

/**
 * Makes this process the only holder of a folder for one purpose, or returns undefined when another one is.
 *
 * On Linux the hold is a listening socket in the kernel's abstract namespace: taking it is atomic, and a killed
 * holder leaves nothing stale behind. Elsewhere it is a socket file that is replaced when nobody answers on it.
 */
export async function soleHolder(folder: string, purpose: string): Promise<Hold | undefined> {
  const name = createHash('sha256')
    .update(`${purpose}\n${realpathSync(folder)}`)
    .digest('hex')
    .slice(0, 32);
  if (process.platform === 'linux') return listenOn(`\0vtb-${name}`);
  const path = join('/tmp', `vtb-${name}.sock`);
  const held = await listenOn(path);
  if (held !== undefined || (await answers(path))) return held;
  await unlink(path);
  return listenOn(path);
}

function listenOn(path: string): Promise<Hold | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path }, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
