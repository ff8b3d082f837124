import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { persist } from './persist.ts';

const never = new AbortController().signal;
const gone = () => new Failure('unreachable', 'service.unreachable', 'the service is gone');

/** Work that fails so often first, and what is said meanwhile. */
function failing(times: number, failure: () => Failure) {
  const notes: string[] = [];
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries <= times) throw failure();
    return 'done';
  };
  return {
    work,
    tries: () => tries,
    notes,
    deps: { console: { note: (text: string) => void notes.push(text) } },
  };
}

test('what passes is waited for, and said once when it goes and once when it is back', async () => {
  const { work, notes, deps } = failing(2, gone);
  expect(await persist(work, { patienceMs: 60_000, signal: never }, deps)).toBe('done');
  expect(notes).toEqual(['the service is gone; trying again, nothing is lost', 'back after 2 s']);
});

test('being told to go slower passes as well', async () => {
  const { work, deps } = failing(1, () => new Failure('refused', 'request.rateLimited', 'slower'));
  expect(await persist(work, { patienceMs: 60_000, signal: never }, deps)).toBe('done');
});

test('what the service refuses is not tried again', async () => {
  const { work, tries, deps } = failing(9, () => new Failure('refused', 'chunk.unknown', 'no'));
  await expect(persist(work, { patienceMs: 60_000, signal: never }, deps)).rejects.toThrow('no');
  expect(tries()).toBe(1);
});

test('patience ends with the failure, and an interruption at once', async () => {
  const { work, tries, deps } = failing(9, gone);
  await expect(persist(work, { patienceMs: 0, signal: never }, deps)).rejects.toThrow('the service is gone');
  expect(tries()).toBe(1);
  const stop = new AbortController();
  const waiting = persist(
    failing(9, gone).work,
    { patienceMs: 60_000, signal: stop.signal },
    {
      console: { note: () => stop.abort(new Error('interrupted')) },
    },
  );
  await expect(waiting).rejects.toThrow('interrupted');
});
