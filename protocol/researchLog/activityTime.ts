import type { ResearchLine } from './line.ts';

/** Elapsed time of a run by activity. */
export interface ActivityTime {
  /** Longest first. */
  readonly activities: readonly { readonly activity: string; readonly elapsedMs: number }[];
  /** Time that no episode covers. With all activities it adds up to the window exactly. */
  readonly uncoveredMs: number;
}

/**
 * How the time of a run was spent.
 *
 * lines   any order; episodes are cut to the window.
 * window  from the run's start to its end, or to now while it is open; endedAt ≥ startedAt.
 * Time that several episodes cover counts once, for the one that started last (of those the one that ends first): a
 * wait inside a training is a wait.
 * Pure: neither the order of lines nor repeating them changes anything.
 */
export function activityTime(
  lines: readonly ResearchLine[],
  window: { readonly startedAt: Date; readonly endedAt: Date },
): ActivityTime {
  const [from, to] = [window.startedAt.getTime(), window.endedAt.getTime()];
  const spans = spansWithin(lines, from, to);
  const elapsed = new Map<string, number>();
  const open: Span[] = [];
  let reached = from;
  const creditUntil = (until: number) => {
    for (let top = open.at(-1); top !== undefined && reached < until; top = open.at(-1)) {
      if (top.to <= reached) {
        open.pop();
        continue;
      }
      const stop = Math.min(top.to, until);
      elapsed.set(top.activity, (elapsed.get(top.activity) ?? 0) + stop - reached);
      reached = stop;
    }
    reached = until;
  };
  for (const span of spans) {
    creditUntil(span.from);
    open.push(span);
  }
  creditUntil(to);
  const activities = [...elapsed].map(([activity, elapsedMs]) => ({ activity, elapsedMs }));
  const covered = activities.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  return {
    activities: activities.sort(
      (one, two) => two.elapsedMs - one.elapsedMs || (one.activity < two.activity ? -1 : 1),
    ),
    uncoveredMs: to - from - covered,
  };
}

interface Span {
  readonly activity: string;
  readonly from: number;
  readonly to: number;
}

/** By start, the longest first where they start together, so that the last one put on the pile is the one that counts. */
function spansWithin(lines: readonly ResearchLine[], from: number, to: number): Span[] {
  return lines
    .flatMap((line) =>
      line.kind === 'episode'
        ? [
            {
              activity: line.activity,
              start: Date.parse(line.startedAt),
              end: Date.parse(line.endedAt),
              from: Math.max(from, Date.parse(line.startedAt)),
              to: Math.min(to, Date.parse(line.endedAt)),
            },
          ]
        : [],
    )
    .filter((span) => span.from < span.to)
    .sort(
      (one, two) =>
        one.start - two.start ||
        two.end - one.end ||
        (one.activity < two.activity ? -1 : one.activity > two.activity ? 1 : 0),
    );
}
