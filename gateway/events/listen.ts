import { feedChannel } from '@vtb/db/public/feed.ts';
import type { Deps } from '../deps.ts';

/** The database's channels (migration `guards`). */
const eventsChannel = 'vtb_events';
const checkingChannel = 'vtb_checking';

/**
 * Listens to the database: followers are woken by submission, the courier by the feed, the inspector by what was sealed.
 * After a lost connection everybody is woken, because something may have been missed.
 *
 * returns  stops listening.
 */
export async function listen(
  onSealed: () => void,
  deps: Pick<Deps, 'sql' | 'hub'>,
): Promise<() => Promise<void>> {
  const wakeFeed = () => deps.hub.wake('feed');
  const listening = [
    await deps.sql.listen(
      eventsChannel,
      (submission) => deps.hub.wake(submission),
      () => deps.hub.wake(null),
    ),
    await deps.sql.listen(checkingChannel, onSealed, onSealed),
    await deps.sql.listen(feedChannel, wakeFeed, wakeFeed),
  ];
  return async () => {
    for (const { unlisten } of listening) await unlisten();
  };
}
