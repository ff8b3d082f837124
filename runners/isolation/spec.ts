import type { ProcessLevel } from './level.ts';

/** Limits of one process; each is a kernel limit, so a child that passes it fails alone. */
export type ProcessLimits = {
  /** Private writable memory (RLIMIT_DATA). Address space itself isn't bounded: V8 reserves gigabytes unused. */
  readonly memoryBytesMax: number;
  readonly openFilesMax: number;
  /** Largest file it may write; 0 allows sockets and pipes only. */
  readonly fileBytesMax: number;
  /** Processes and threads; kept only where the uid or user namespace is the box's own. */
  readonly processesMax: number;
  readonly cpuSecondsMax: number;
};

/** One isolated process to start. Paths are absolute; nothing is inherited but what stands here. */
export type IsolatedSpec = {
  readonly level: ProcessLevel;
  /** Absolute path; its folder must be among `readOnlyPaths` (or a system folder). */
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** uid = gid at `process+uid+netns`; null at the other levels. */
  readonly uid: number | null;
  /** A further group at `process+uid+netns`: how one box may reach another's socket. */
  readonly groups: readonly number[];
  readonly readOnlyPaths: readonly string[];
  /** The one place it may write; made and owned by the caller. */
  readonly writableDir: string | null;
  readonly limits: ProcessLimits;
  readonly signal: AbortSignal;
};
