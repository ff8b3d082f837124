import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { log } from './log.ts';

/** A process to keep running. */
export interface ChildInput {
  readonly name: string;
  /** Path of its TypeScript file. */
  readonly script: string;
  readonly args: readonly string[];
  /** `onFailure`: a process with an end of its own; after code 0, or `crashesMax` failures, it stays ended. */
  readonly restart: 'always' | 'onFailure';
  /** Its whole environment: what isn't here it can't see. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process that is kept running until `stop`. */
export interface Child extends AsyncDisposable {
  readonly name: string;
  pid(): number | undefined;
  /** Resolves with a sentence when it ended `crashesMax` times in a row without living `steadyMs`. */
  readonly crashLoop: Promise<string>;
  stop(): Promise<void>;
}

const crashesMax = 4;
const steadyMs = 20_000;
const backoffMaxMs = 8_000;
const stopPatienceMs = 4_000;

/**
 * Starts a process and starts it again when it ends, waiting longer after each quick end, up to eight seconds.
 *
 * The terminal's Ctrl-C reaches only the supervisor (the child has a session of its own), so that everything stops
 * in order; where setpriv is present the kernel stops the child when the supervisor is killed.
 */
export function superviseChild(input: ChildInput): Child {
  const stopping = new AbortController();
  const crashLoop = Promise.withResolvers<string>();
  let running: ChildProcess | undefined;
  const life = (async () => {
    for (let crashes = 0; !stopping.signal.aborted; ) {
      const startedAt = performance.now();
      running = launch(input);
      const ending = await ended(running);
      if (stopping.signal.aborted) return;
      if (input.restart === 'onFailure' && ending === 'code 0') return;
      crashes = performance.now() - startedAt > steadyMs ? 1 : crashes + 1;
      log('ended', { child: input.name, ending, crashes });
      if (crashes >= crashesMax)
        crashLoop.resolve(`${input.name} ended ${crashes} times in a row (${ending})`);
      if (input.restart === 'onFailure' && crashes >= crashesMax) return;
      await delay(Math.min(250 * 2 ** (crashes - 1), backoffMaxMs), undefined, {
        signal: stopping.signal,
      }).catch(() => undefined);
    }
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    running?.kill('SIGTERM');
    const patience = setTimeout(() => {
      log('killed', { child: input.name, reason: `still there ${stopPatienceMs} ms after SIGTERM` });
      running?.kill('SIGKILL');
    }, stopPatienceMs);
    await life;
    clearTimeout(patience);
  };
  return {
    name: input.name,
    pid: () => running?.pid,
    crashLoop: crashLoop.promise,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function launch({ name, script, args, env }: ChildInput): ChildProcess {
  const command = [process.execPath, script, ...args];
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const [file = '', ...rest] = setpriv === undefined ? command : [setpriv, '--pdeathsig', 'TERM', ...command];
  // Only `ready …` may stand on our stdout, so a child's goes to stderr.
  const child = spawn(file, rest, { env, detached: true, stdio: ['ignore', 2, 2] });
  log('started', { child: name, pid: child.pid });
  return child;
}

function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
}
