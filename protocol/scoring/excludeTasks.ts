/**
 * Takes broken tasks out of the denominator for everybody, all their trials with them: K/N becomes
 * (K − k successes)/(N − k).
 *
 * tasks     names, in the order of counts.
 * excluded  names to leave out; one that isn't there is refused, for the season must mean this split.
 * returns   what is left, in order, and whether the task set changed: then results of the old and the new
 *           set are not comparable and never on one board.
 * throws    RangeError for an unknown name or lists of different length.
 */
export function excludeTasks(
  { tasks, counts }: TaskCounts,
  excluded: readonly string[],
): TaskCounts & { readonly newVersion: boolean } {
  if (tasks.length !== counts.length)
    throw new RangeError(`${tasks.length} tasks have ${counts.length} counts; each task has one.`);
  const out = new Set(excluded);
  for (const name of out)
    if (!tasks.includes(name))
      throw new RangeError(`Task ${name} isn't in the split, so it can't be excluded.`);
  const kept = tasks.flatMap((task, i) => (out.has(task) ? [] : [i]));
  return {
    tasks: kept.map((i) => tasks[i] ?? ''),
    counts: kept.map((i) => counts[i] ?? 0),
    newVersion: out.size > 0,
  };
}

/** Tasks of a split with what each counts. */
export type TaskCounts = { readonly tasks: readonly string[]; readonly counts: readonly number[] };
