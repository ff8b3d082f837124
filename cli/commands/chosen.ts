import { meSchema } from '@vtb/protocol/wire/identity.ts';
import type { Client } from '../client.ts';
import { Failure } from '../failure.ts';

/**
 * The team that a command is about: the one given, else the caller's only one.
 *
 * throws  Failure('usage') listing the caller's teams when the choice is not clear.
 */
export async function chosenTeam(given: string | undefined, client: Client): Promise<string> {
  if (given !== undefined) return given;
  const { teams, token } = await client.get('/me', meSchema);
  if (token.team !== null) return token.team;
  const [only, ...more] = teams;
  if (only !== undefined && more.length === 0) return only.id;
  const known = teams.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new Failure(
    'usage',
    'team.choose',
    teams.length === 0 ? 'you are in no team: vtb team create NAME' : `say which team with --team: ${known}`,
  );
}
