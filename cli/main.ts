/** `vtb`: the command line. Exit codes: 0 done, 1 refused, 2 usage, 3 the service can't be reached, 4 timed out waiting. */
import { Command, CommanderError } from 'commander';
import { accountCommands } from './commands/account.ts';
import { checkCommand } from './commands/check.ts';
import { entryCommands } from './commands/entries.ts';
import { operatorCommands } from './commands/operators.ts';
import { publicCommands } from './commands/public.ts';
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

const arguments_ = process.argv.slice(2);
const json = arguments_.includes('--json');
const console_ = openConsole({ json });

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
  checkCommand(vtb, context);
  submissionCommands(vtb, context);
  publicCommands(vtb, context);
  operatorCommands(vtb, context);
  exitInsteadOfQuitting(vtb);
  return vtb;
}

function exitInsteadOfQuitting(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) exitInsteadOfQuitting(child);
}

try {
  const context = openContext({ config: readConfig(), console: console_, signal: stop.signal });
  await program(context).parseAsync(
    arguments_.filter((argument) => argument !== '--json'),
    { from: 'user' },
  );
} catch (cause) {
  if (cause instanceof CommanderError) process.exitCode = cause.exitCode === 0 ? 0 : exitCodes.usage;
  else if (cause instanceof Failure || stop.signal.reason instanceof Failure) {
    const failure = cause instanceof Failure ? cause : stop.signal.reason;
    console_.fail(failure);
    process.exitCode = exitCodes[failure.kind as keyof typeof exitCodes];
  } else {
    process.stderr.write(
      `${cause instanceof Error ? cause.stack : String(cause)}\nThis is a fault of vtb itself; please report it.\n`,
    );
    process.exitCode = 70;
  }
}
