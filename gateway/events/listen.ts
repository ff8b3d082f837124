import type { Deps } from '../deps.ts';

/** The database's channels (migration `guards`). */
const eventsChannel = 'vtb_events';
const checkingChannel = 'vtb_checking';

/**
 * Listens to the database: followers are woken by submission, the inspector by what was sealed. After a lost connection
 * everybody is woken, because something may have been missed.
 *
 * returns  stops listening.
 */
export async function listen(
  onSealed: () => void,
  deps: Pick<Deps, 'sql' | 'hub'>,
): Promise<() => Promise<void>> {
  const events = await deps.sql.listen(
    eventsChannel,
    (submission) => deps.hub.wake(submission),
    () => deps.hub.wake(null),
  );
  const checking = await deps.sql.listen(checkingChannel, onSealed, onSealed);
  return async () => {
    await events.unlisten();
    await checking.unlisten();
  };
}
