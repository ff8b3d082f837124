/** `vtb`: the command line. Exit codes: 0 done, 1 refused, 2 usage, 3 the service can't be reached, 4 timed out waiting. */
import { Command, CommanderError } from 'commander';
import { accountCommands } from './commands/account.ts';
import { checkCommand } from './commands/check.ts';
import { deleteCommand } from './commands/delete.ts';
import { entryCommands } from './commands/entries.ts';
import { initCommand } from './commands/init.ts';
import { operatorCommands } from './commands/operators.ts';
import { publicCommands } from './commands/public.ts';
import { seasonCommands } from './commands/season.ts';
import { submissionCommands } from './commands/submissions.ts';
import { teamCommands } from './commands/teams.ts';
import { readConfig } from './config.ts';
import { openConsole } from './console.ts';
import { type Context, openContext } from './context.ts';
import { exitCodes, Failure } from './failure.ts';

const stop = new AbortController();
process.once('SIGINT', () =>
  stop.abort(new Failure('refused', 'interrupted', 'interrupted; run the same command again to go on')),
);
process.once('SIGTERM', () => stop.abort(new Failure('refused', 'interrupted', 'interrupted')));
// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const arguments_ = process.argv.slice(2);
const json = arguments_.includes('--json');
const console_ = openConsole({ json });
/** What commander says about itself, in the parts it says it in. */
const help: string[] = [];

function program(context: Context): Command {
  const vtb = new Command('vtb')
    .description('Submit systems to a hidden-test benchmark, follow them, and check what is published.')
    .option('--json', 'print one JSON document on stdout and nothing else')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused (every problem at once), 2 usage, 3 the service cannot be reached, 4 timed out waiting.\nVTB_URL and VTB_TOKEN override the saved login.',
    )
    .showHelpAfterError('(vtb --help lists the commands)')
    .configureHelp({ showGlobalOptions: true });
  accountCommands(vtb, context);
  teamCommands(vtb, context);
  entryCommands(vtb, context);
  initCommand(vtb, context);
  checkCommand(vtb, context);
  submissionCommands(vtb, context);
  deleteCommand(vtb, context);
  publicCommands(vtb, context);
  seasonCommands(vtb, context);
  operatorCommands(vtb, context);
  exitInsteadOfQuitting(vtb);
  return vtb;
}

function exitInsteadOfQuitting(command: Command): void {
  command.exitOverride();
  // With --json even help is a document, and what is wrong with the arguments is told like any other failure.
  if (json)
    command.configureOutput({
      writeOut: (text) => help.push(text),
      writeErr: () => undefined,
    });
  for (const child of command.commands) exitInsteadOfQuitting(child);
}

function failureOf(cause: unknown): Failure | null {
  if (stop.signal.aborted && !(cause instanceof Failure && cause.code === 'interrupted'))
    return failureOf(stop.signal.reason);
  return cause instanceof Failure ? cause : null;
}

try {
  const context = openContext({ config: readConfig(), console: console_, signal: stop.signal });
  await program(context).parseAsync(
    arguments_.filter((argument) => argument !== '--json'),
    { from: 'user' },
  );
} catch (cause) {
  const failure = failureOf(cause);
  if (cause instanceof CommanderError) {
    process.exitCode = cause.exitCode === 0 ? 0 : exitCodes.usage;
    if (help.length > 0) console_.result({ help: help.join('') }, '');
    if (json && cause.exitCode !== 0)
      console_.fail(new Failure('usage', 'usage.arguments', cause.message.replace(/^error: /, '')));
  } else if (failure !== null) {
    console_.fail(failure);
    process.exitCode = exitCodes[failure.kind];
  } else {
    process.stderr.write(
      `${cause instanceof Error ? cause.stack : String(cause)}\nThis is a fault of vtb itself; please report it.\n`,
    );
    process.exitCode = 70;
  }
}
