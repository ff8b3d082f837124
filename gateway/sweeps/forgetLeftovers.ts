import { forgetLeftovers as forget, lockPossessions, teamsWithLeftovers } from '@vtb/db/public/garbage.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** After a refusal or a lapse a team mends its system and sends the rest: two weeks of not asking for it again. */
const keptMs = 14 * 86_400_000;

/** Ends teams' possession of chunks that nothing of theirs has needed for long; the bytes go with `collectGarbage`. */
export async function forgetLeftovers(deps: Deps): Promise<number> {
  const before = new Date(deps.now().getTime() - keptMs);
  const ofTeam = (team: string) =>
    deps.db.transaction(async (tx) => {
      await lockPossessions(team, 'alone', tx);
      return (await forget({ team, before }, tx)) > 0;
    });
  return eachItem(await teamsWithLeftovers(before, deps.db), ofTeam, deps);
}
