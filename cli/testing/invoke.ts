import { Command, CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import type { Console } from '../console.ts';
import { type Context, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';

/** What an invocation said, and its exit code. */
export interface Invocation {
  readonly code: number;
  /** What --json would print. */
  readonly document: unknown;
  readonly stdout: string;
  /** Its notes, one a line. */
  readonly stderr: string;
  readonly failure: Failure | null;
}

/** For tests: runs commands in this process, with a login of its own. */
export async function invoke(
  args: readonly string[],
  input: {
    readonly commands: (program: Command, context: Context) => void;
    readonly url: string;
    readonly token: string;
    readonly home: string;
  },
): Promise<Invocation> {
  const said = { document: null as unknown, stdout: '', stderr: '' };
  const console_: Console = {
    json: false,
    live: false,
    result: (document, text) => {
      said.document = structuredClone(document);
      said.stdout = text;
    },
    note: (text) => {
      said.stderr += `${text}\n`;
    },
    bar: () => undefined,
    fail: () => undefined,
  };
  const config = readConfig({ VTB_URL: input.url, VTB_TOKEN: input.token, XDG_CONFIG_HOME: input.home });
  const program = new Command('vtb');
  input.commands(program, openContext({ config, console: console_, signal: new AbortController().signal }));
  quiet(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return { code: 0, ...said, failure: null };
  } catch (cause) {
    if (cause instanceof CommanderError) return { code: exitCodes.usage, ...said, failure: null };
    if (!(cause instanceof Failure)) throw cause;
    return { code: exitCodes[cause.kind], ...said, failure: cause };
  }
}

function quiet(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  for (const child of command.commands) quiet(child);
}
