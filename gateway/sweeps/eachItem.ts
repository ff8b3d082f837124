import type { Deps } from '../deps.ts';

/**
 * Does one thing after the other, each on its own: one that fails is logged and does not keep the others from their turn.
 *
 * act      returns whether it did something.
 * returns  how many did.
 */
export async function eachItem<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<boolean>,
  deps: Pick<Deps, 'log'>,
): Promise<number> {
  let done = 0;
  for (const item of items) {
    try {
      if (await act(item)) done += 1;
    } catch (error) {
      deps.log('sweep.itemFailed', { item: JSON.stringify(item), error: String(error) });
    }
  }
  return done;
}
