import { type IssuedToken, issuedTokenSchema, scopes, tokenListSchema } from '@vtb/protocol/wire/identity.ts';
import { addedMemberSchema, teamListSchema, teamSchema } from '@vtb/protocol/wire/teams.ts';
import type { Command } from 'commander';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { chosenTeam } from './chosen.ts';

interface TokenOptions {
  readonly team?: string;
  readonly scopes: string;
  readonly label: string;
  readonly days: string;
}

/** `team …` and `token …`. */
export function teamCommands(program: Command, context: Context): void {
  const team = program.command('team').description('teams and their members');
  team
    .command('create <name>')
    .description('make a team; its creator owns it')
    .action(async (name: string) => {
      const client = await context.member();
      const made = await client.post('/teams', { name }, teamSchema);
      context.console.result(made, `Team ${made.name}: ${made.id}`);
    });
  team
    .command('list')
    .description('your teams')
    .action(async () => {
      const { teams } = await (await context.member()).get('/teams', teamListSchema);
      context.console.result(
        { teams },
        teams.length === 0
          ? 'No team yet: vtb team create NAME'
          : textTable(
              ['id', 'name'],
              teams.map(({ id, name }) => [id, name]),
            ),
      );
    });
  team
    .command('members')
    .description("a team's members")
    .option('--team <id>', 'the team (default: your only one)')
    .action(async (options: { team?: string }) => {
      const client = await context.member();
      const found = await client.get(`/teams/${await chosenTeam(options.team, client)}`, teamSchema);
      context.console.result(
        found,
        textTable(
          ['account', 'name', 'role'],
          found.members.map(({ account, name, role }) => [account, name, role]),
        ),
      );
    });
  team
    .command('invite <name>')
    .description('add a person; prints their first token once')
    .option('--team <id>', 'the team (default: your only one)')
    .option('--owner', 'as an owner of the team')
    .action(async (name: string, options: { team?: string; owner?: boolean }) => {
      const client = await context.member();
      const body = { name, role: options.owner ? 'owner' : 'member' };
      const added = await client.post(
        `/teams/${await chosenTeam(options.team, client)}/members`,
        body,
        addedMemberSchema,
      );
      context.console.result(
        added,
        `${added.name} (${added.account}) is in. Their token, shown this once:\n${added.token.token}`,
      );
    });

  const token = program.command('token').description('tokens for programs and people');
  token
    .command('create')
    .description('issue a token; it is shown once')
    .option('--team <id>', 'a token for this team (default: your only one)')
    .option('--scopes <list>', `of ${scopes.join(', ')}`, 'submit,read')
    .option('--label <text>', 'what it is for', 'vtb')
    .option('--days <n>', 'days until it expires, at most 90', '30')
    .action((options: TokenOptions) => createToken(options, context));
  token
    .command('list')
    .description('your tokens')
    .action(async () => {
      const { tokens } = await (await context.member()).get('/tokens', tokenListSchema);
      const rows = tokens.map(({ jti, label, scopes: can, expiresAt, revokedAt }) => [
        jti,
        label,
        can.join(','),
        revokedAt === null ? `until ${expiresAt}` : `revoked ${revokedAt}`,
      ]);
      context.console.result({ tokens }, textTable(['id', 'label', 'scopes', 'state'], rows));
    });
  token
    .command('revoke <jti>')
    .description('end a token at once')
    .action(async (jti: string) => {
      await (await context.member()).remove(`/tokens/${encodeURIComponent(jti)}`);
      context.console.result({ revoked: jti }, `Token ${jti} no longer works.`);
    });
}

async function createToken(options: TokenOptions, context: Context): Promise<void> {
  const days = Number(options.days);
  const wanted = options.scopes.split(',').map((scope) => scope.trim());
  const unknown = wanted.filter((scope) => !scopes.some((known) => known === scope));
  if (unknown.length > 0)
    throw new Failure(
      'usage',
      'token.scopes',
      `unknown scope ${unknown.join(', ')}; there are ${scopes.join(', ')}`,
    );
  if (!Number.isInteger(days) || days < 1 || days > 90)
    throw new Failure('usage', 'token.days', `--days must be 1 to 90, not ${options.days}`);
  const client = await context.member();
  const body = { team: await chosenTeam(options.team, client), scopes: wanted, label: options.label, days };
  const made: IssuedToken = await client.post('/tokens', body, issuedTokenSchema);
  context.console.result(made, `Token ${made.jti}, until ${made.expiresAt}, shown this once:\n${made.token}`);
}
