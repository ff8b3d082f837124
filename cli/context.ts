import type { Client } from './client.ts';
import { openClient } from './client.ts';
import type { CliConfig } from './config.ts';
import type { Console } from './console.ts';
import { Failure } from './failure.ts';
import { currentLogin } from './login.ts';

/** What every command works with. */
export interface Context {
  readonly config: CliConfig;
  readonly console: Console;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** The service, with or without a login. */
  readonly visitor: () => Promise<Client>;
  /** The service with a login; without one the command ends with what to do. */
  readonly member: () => Promise<Client>;
}

/** Makes the context of one invocation. */
export function openContext(parts: Pick<Context, 'config' | 'console' | 'signal'>): Context {
  const visitor = async () => openClient(await currentLogin(parts.config), parts.signal);
  return {
    ...parts,
    visitor,
    member: async () => {
      const client = await visitor();
      if (!client.hasToken)
        throw new Failure(
          'refused',
          'login.missing',
          `not signed in at ${client.url}: run vtb login (on the machine of a started service: vtb login --local), or set VTB_TOKEN`,
        );
      return client;
    },
  };
}
