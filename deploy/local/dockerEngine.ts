import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { isThere } from './debianPackages.ts';
import { waitFor } from './waitFor.ts';

const socketPath = '/var/run/docker.sock';

/** A Docker engine that answers, and is stopped on disposal if it was started here. */
export async function ensureDockerEngine(env: NodeJS.ProcessEnv): Promise<AsyncDisposable> {
  const nothing = { [Symbol.asyncDispose]: async () => undefined };
  if (env.DOCKER_HOST || (await answers()) || process.getuid?.() !== 0 || !isThere('dockerd')) return nothing;
  process.stderr.write('starting the Docker engine\n');
  // Its words fill screens and say nothing about the tests; a failure shows as an engine that doesn't answer.
  const engine = spawn('dockerd', [], { stdio: 'ignore', detached: true, env });
  const gone = once(engine, 'exit').catch(() => undefined);
  const ended = new AbortController();
  void gone.then(() => ended.abort(new Error('dockerd ended')));
  const stop = async () => {
    engine.kill('SIGTERM');
    await gone;
  };
  try {
    await waitFor('the Docker engine', answers, { timeoutMs: 30_000, everyMs: 200, signal: ended.signal });
  } catch (error) {
    process.stderr.write(
      `the Docker engine does not start here: ${(error as Error).message}; going on without\n`,
    );
    if (!ended.signal.aborted) await stop();
    return nothing;
  }
  return { [Symbol.asyncDispose]: stop };
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('connect', () => socket.write('GET /_ping HTTP/1.0\r\n\r\n'));
    socket.once('data', (bytes) => end(bytes.toString().includes('200 OK')));
  });
}
