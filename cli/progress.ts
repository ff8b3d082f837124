import { byteText } from './byteText.ts';
import type { Console } from './console.ts';

/** How far something with a known number of bytes is. */
export interface Progress {
  /** `done` of the total are done now. */
  readonly to: (done: number) => void;
}

/** What progress is told of. */
export interface ProgressInput {
  /** hashing, inspecting, sending. */
  readonly verb: string;
  readonly total: number;
  /** Bytes that needed nothing; said once they are known. */
  readonly before?: string;
}

/** A rate is that of the last seconds: what came before a pause says nothing of what is left. */
const windowMs = 10_000;
/** Where there is no terminal, a line this often keeps a log short. */
const noteEveryMs = 30_000;
const barEveryMs = 100;

/**
 * Says how far something is: a bar on a terminal, elsewhere a line every half minute.
 *
 * nowMs  a clock that never goes back.
 */
export function startProgress(
  input: ProgressInput,
  deps: { readonly console: Pick<Console, 'bar' | 'note' | 'live'>; readonly nowMs: () => number },
): Progress {
  const { console, nowMs } = deps;
  let marks = [{ atMs: nowMs(), done: 0 }];
  let saidMs = marks[0]?.atMs ?? 0;
  return {
    to: (done) => {
      const atMs = nowMs();
      if (atMs - saidMs < (console.live ? barEveryMs : noteEveryMs)) return;
      saidMs = atMs;
      marks = [
        ...marks.filter((mark) => atMs - mark.atMs <= windowMs || mark === marks.at(-1)),
        { atMs, done },
      ];
      const [first] = marks;
      const seconds = (atMs - (first?.atMs ?? atMs)) / 1000;
      const rate = seconds > 0 ? Math.max(0, done - (first?.done ?? 0)) / seconds : 0;
      const text = progressText({ ...input, done, bytesPerSecond: rate });
      if (console.live) console.bar(text);
      else console.note(text);
    },
  };
}

/** `hashing 1.0 GiB of 4.0 GiB at 512.0 MiB/s, 6 s left`. */
export function progressText(
  input: ProgressInput & { readonly done: number; readonly bytesPerSecond: number },
): string {
  const { verb, done, total, bytesPerSecond, before } = input;
  const left = bytesPerSecond > 0 ? `, ${timeText((total - done) / bytesPerSecond)} left` : '';
  const aside = before === undefined ? '' : ` (${before})`;
  return `${verb} ${byteText(done)} of ${byteText(total)}${aside} at ${byteText(bytesPerSecond)}/s${left}`;
}

/** Seconds as people say them, never less than one. */
export function timeText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
