import type { ProcessLevel } from '../isolation/level.ts';
import type { ChatTemplateName } from './serving/chatTemplate.ts';

/** Everything an engine is told; nothing is left to its own defaults or to files beside the weights. */
export type EngineSettings = {
  /** The track's template, rendered by our code; the one inside the weights' file is never used. */
  readonly template: ChatTemplateName;
  /** Prompt and output of one conversation together. */
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  /** Conversations worked on at once. */
  readonly concurrencyMax: number;
  /** Requests that may wait for a place; one more is answered 503. */
  readonly queueMax: number;
  readonly threads: number;
  readonly memoryBytesMax: number;
  /** From start to ready. */
  readonly loadTimeoutMs: number;
};

/** Where an engine's process runs, and who may connect to its socket. */
export type EngineIsolation = {
  readonly level: ProcessLevel;
  /** uid = gid at `process+uid+netns`, else null. */
  readonly uid: number | null;
  /** The proxy's gid at `process+uid+netns`: the only other one that can reach the socket; else null. */
  readonly peerGid: number | null;
};

/** What an engine is started with. */
export type EngineStart = {
  /** Written by us; world-readable (0444), because the engine's uid owns nothing. */
  readonly weightsPath: string;
  /** SHA-256 of that file as its writer computed it; goes into the facts unchanged. */
  readonly weightsDigest: string;
  readonly settings: EngineSettings;
  /** A short-named folder of the caller's for the socket (paths are bounded at 107 bytes); the engine's from now on. */
  readonly workDir: string;
  readonly isolation: EngineIsolation;
  /** Aborting it ends the engine at once, at any phase. */
  readonly signal: AbortSignal;
};

/** What a receipt says about an engine. */
export type EngineFacts = {
  readonly engine: string;
  readonly version: string;
  readonly weightsDigest: string;
  readonly template: ChatTemplateName;
  readonly templateDigest: string;
  readonly threads: number;
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly isolation: ProcessLevel;
};

/** An engine that serves `POST /v1/chat/completions`, `GET /health` and `GET /counters` on a unix socket. */
export type RunningEngine = {
  readonly socketPath: string;
  readonly facts: EngineFacts;
  /** Resolves once: null after `stop`, else the failure. Never rejects. */
  readonly ended: Promise<EngineFailure | null>;
  /** Ends it and everything in its box; twice is the same as once. */
  stop(): Promise<void>;
};

/** One kind of engine; registered in registry.ts, tested by conformance.ts. */
export type Engine = {
  readonly name: string;
  /** throws EngineFailure (phase `loading`) when it doesn't become ready, whatever the weights do to it. */
  start(input: EngineStart): Promise<RunningEngine>;
};

/** The engine's process died, hung or refused the weights. Whose fault that is, the caller decides. */
export class EngineFailure extends Error {
  readonly phase: 'loading' | 'serving';
  readonly reason: 'exit' | 'timeout' | 'refused' | 'aborted';
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Since the start of the process. */
  readonly durationMs: number;
  /** The end of its stderr, bounded, control characters removed; for maintainers only. */
  readonly stderrTail: string;

  constructor(facts: {
    phase: 'loading' | 'serving';
    reason: 'exit' | 'timeout' | 'refused' | 'aborted';
    exitCode: number | null;
    exitSignal: string | null;
    durationMs: number;
    stderrTail: string;
  }) {
    const how = facts.exitSignal ?? facts.exitCode ?? 'no exit status';
    super(
      `engine failed while ${facts.phase} after ${Math.round(facts.durationMs)} ms: ${facts.reason} (${how})`,
    );
    this.name = 'EngineFailure';
    this.phase = facts.phase;
    this.reason = facts.reason;
    this.exitCode = facts.exitCode;
    this.exitSignal = facts.exitSignal;
    this.durationMs = facts.durationMs;
    this.stderrTail = facts.stderrTail;
  }
}
