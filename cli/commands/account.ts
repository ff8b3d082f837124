import { meSchema } from '@vtb/protocol/wire/identity.ts';
import type { Command } from 'commander';
import { openClient } from '../client.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { currentLogin, forgetLogin, ownerToken, saveLogin } from '../login.ts';

interface LoginOptions {
  readonly url?: string;
  readonly token?: string;
  readonly local?: boolean;
}

/** `login`, `logout`, `whoami`. */
export function accountCommands(program: Command, context: Context): void {
  program
    .command('login')
    .description('save a service and a token for later commands')
    .option('--url <url>', 'the service (default: VTB_URL, else the one started here)')
    .option('--token <token>', 'the token (default: VTB_TOKEN; - reads it from standard input)')
    .option('--local', "as the owner of the service on this machine, from its data folder's owner.token")
    .action((options: LoginOptions) => login(options, context));
  program
    .command('logout')
    .description('forget the saved token')
    .action(async () => {
      await forgetLogin(context.config);
      context.console.result(
        { loggedOut: true },
        'Signed out here. The token itself still works: vtb token revoke ends it.',
      );
    });
  program
    .command('whoami')
    .description('who you are to the service, and for which teams')
    .action(async () => {
      const client = await context.member();
      const me = await client.get('/me', meSchema);
      const teams = me.teams.map(({ id, name, role }) => `\n  ${name} (${id}), ${role}`).join('');
      context.console.result(
        { url: client.url, ...me },
        `${me.account.name} (${me.account.id})${me.maintainer ? ', maintainer' : ''} at ${client.url}\ntoken "${me.token.label}": ${me.token.scopes.join(', ')}, until ${me.token.expiresAt}${teams}`,
      );
    });
}

async function login(options: LoginOptions, context: Context): Promise<void> {
  const url = (options.url ?? (await currentLogin(context.config)).url).replace(/\/+$/, '');
  if (!URL.canParse(url)) throw new Failure('usage', 'login.url', `${url} is not a URL`);
  const token = options.local
    ? await ownerToken(context.config)
    : options.token === '-'
      ? await standardInput()
      : (options.token ?? context.config.token);
  if (token === null || token === '')
    throw new Failure(
      'usage',
      'login.token',
      'give --token TOKEN (or - for standard input), set VTB_TOKEN, or use --local',
    );
  const me = await openClient({ url, token }, context.signal).get('/me', meSchema);
  await saveLogin({ url, token }, context.config);
  context.console.result({ url, account: me.account }, `Signed in at ${url} as ${me.account.name}.`);
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8').trim();
}
