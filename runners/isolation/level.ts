import { z } from 'zod';

/**
 * How a process that handles hostile bytes is kept apart from its host, strongest first.
 *
 * container           its own container; the only level that serves tracks with a harness
 * process+uid+netns   a uid of its own, no network, no way to see the host's files or processes (needs root)
 * process+netns       the same without a second uid (an unprivileged user namespace)
 * process             a process group without new privileges; not isolated from this host
 */
export const isolationLevels = ['container', 'process+uid+netns', 'process+netns', 'process'] as const;

/** One of {@link isolationLevels}. */
export type IsolationLevel = (typeof isolationLevels)[number];

/** A level that `spawnIsolated` itself can make; containers are made by the sandbox. */
export type ProcessLevel = Exclude<IsolationLevel, 'container'>;

/** Parses a level's name; an unknown one is refused with the list of known ones. */
export const isolationLevel = z.enum(isolationLevels);

/** The levels `probeIsolation` tries, strongest first. */
export const processLevels: readonly ProcessLevel[] = ['process+uid+netns', 'process+netns', 'process'];

/** True when level `a` isolates at least as well as level `b`. */
export function isAtLeast(a: IsolationLevel, b: IsolationLevel): boolean {
  return isolationLevels.indexOf(a) <= isolationLevels.indexOf(b);
}
