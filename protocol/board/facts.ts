import type { Result } from '../messages/report.ts';
import type { Season } from '../season/definition.ts';

/** A row's owner and name, as published. */
export interface EntryFact {
  readonly id: string;
  readonly team: string;
  readonly agent: string;
  readonly agentHarness: string | null;
}

/** A final's current published grading, and the run it ended. */
export interface PublishedFact {
  readonly entry: string;
  readonly track: string;
  readonly submission: string;
  readonly grading: string;
  readonly gradingNumber: number;
  readonly system: string;
  readonly result: Result;
  readonly publishedAt: Date;
  readonly runStartedAt: Date;
  /** The instant that stopped the clock: the final's commit. */
  readonly committedAt: Date;
  readonly withdrawnAt: Date | null;
  /** Tokens that the research agent generated in that run, as its log declares; null where it does not. */
  readonly researchTokens: number | null;
  /** Finals that the entry's team has spent on this track, over all its entries. */
  readonly finalsUsed: number;
}

/**
 * All that a board is made of: the same facts give the same board on every machine and on every day.
 *
 * published  at most one per entry and track.
 * asOf       the instant the facts are of; only shown, because the facts are already chosen by it.
 */
export interface BoardFacts {
  readonly season: Season;
  readonly entries: readonly EntryFact[];
  readonly published: readonly PublishedFact[];
  readonly asOf: Date;
}
