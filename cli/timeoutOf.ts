import { Failure } from './failure.ts';

/**
 * Milliseconds of a --timeout in seconds; null where none was given.
 *
 * throws  Failure('usage') for what is no number above 0.
 */
export function timeoutOf(seconds: string | undefined): number | null {
  if (seconds === undefined) return null;
  const value = Number(seconds);
  if (!Number.isFinite(value) || value <= 0)
    throw new Failure('usage', 'timeout', `--timeout is a number of seconds above 0, not ${seconds}`);
  return value * 1000;
}
