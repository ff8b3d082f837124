/** A change of a submission's state, as the waiting time is computed from. */
export interface StateChange {
  readonly submission: string;
  readonly purpose: 'validation' | 'final';
  readonly state: string;
  readonly at: Date;
}

/** A run's clock at an instant. */
export interface RunClock {
  /** Time in which a validation submission of this run was queued or graded; side by side counts once. */
  readonly waitedMs: number;
  /** When the budget is used up: later by the waiting time where the season credits it. */
  readonly deadline: Date;
}

/** What `runClock` reads. */
export interface RunTimes {
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly budgetHours: number;
  readonly creditsWaiting: boolean;
  /** In the order they happened. */
  readonly changes: readonly StateChange[];
  readonly at: Date;
}

const waitingStates: readonly string[] = ['queued', 'grading'];

/** Computes a run's waiting time and deadline as of an instant; after its end the clock stands still. */
export function runClock(run: RunTimes): RunClock {
  const until = Math.min(run.at.getTime(), run.endedAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const waitedMs = unionMs(waits(run.changes, until), run.startedAt.getTime(), until);
  const budgetMs = run.budgetHours * 3_600_000 + (run.creditsWaiting ? waitedMs : 0);
  return { waitedMs, deadline: new Date(run.startedAt.getTime() + budgetMs) };
}

type Interval = readonly [startMs: number, endMs: number];

function waits(changes: readonly StateChange[], until: number): Interval[] {
  const since = new Map<string, number>();
  const intervals: Interval[] = [];
  for (const { submission, purpose, state, at } of changes) {
    if (purpose !== 'validation') continue;
    const start = since.get(submission);
    const waitsNow = waitingStates.includes(state);
    if (start === undefined && waitsNow) since.set(submission, at.getTime());
    if (start !== undefined && !waitsNow) {
      intervals.push([start, at.getTime()]);
      since.delete(submission);
    }
  }
  for (const start of since.values()) intervals.push([start, until]);
  return intervals;
}

function unionMs(intervals: readonly Interval[], from: number, until: number): number {
  let total = 0;
  let reached = from;
  for (const [start, end] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = Math.min(end, until);
    total += Math.max(0, last - Math.max(start, reached));
    reached = Math.max(reached, last);
  }
  return total;
}
