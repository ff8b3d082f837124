/**
 * Theory of operation. What only grows is checked at every start, before the door opens: the feed is one unbroken chain,
 * each season's log hashes to every tree head that was ever signed for it, and every grading and log entry has the audit
 * line that was written with it. Rows that were taken away or changed behind the gateway's back therefore stop it, instead
 * of being signed over.
 */
import type { Db } from '@vtb/db/public/connect.ts';
import { feedAfter } from '@vtb/db/public/feed.ts';
import { allHeads, leavesFrom } from '@vtb/db/public/log.ts';
import { unaudited } from '@vtb/db/public/unaudited.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { append, emptyFrontier, frontierRoot, leafHash } from '@vtb/protocol/messages/merkle.ts';
import { decodeJwt } from 'jose';
import type { Deps } from '../deps.ts';

const pageRows = 500;

/** What is stored is not what was signed. The service doesn't start, because going on would hide it. */
export class StoredInconsistency extends Error {}

/**
 * Checks everything stored that only grows.
 *
 * throws  StoredInconsistency naming the first row that is wrong.
 */
export async function verifyStored(deps: Pick<Deps, 'db' | 'seasons'>): Promise<void> {
  // One snapshot, so that another gateway's work in between can't look like a fault.
  await deps.db.transaction(
    async (tx) => {
      await verifyFeed(tx);
      for (const season of deps.seasons.keys()) await verifyLog(season, tx);
      const [missing] = await unaudited(1, tx);
      if (missing !== undefined)
        throw new StoredInconsistency(`the audit log lacks the line "${missing.act}" of ${missing.subject}`);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

async function verifyFeed(db: Db): Promise<void> {
  let number = 0;
  let previous = '0'.repeat(64);
  for (;;) {
    const rows = await feedAfter({ after: number, limit: pageRows }, db);
    for (const row of rows) {
      const said = decodeJwt(row.jws);
      const holds =
        row.number === number + 1 &&
        row.digest === sha256Hex(row.jws) &&
        said.number === row.number &&
        said.previous === previous;
      if (!holds) throw new StoredInconsistency(`the feed is broken after number ${number}`);
      number = row.number;
      previous = row.digest;
    }
    if (rows.length < pageRows) return;
  }
}

async function verifyLog(season: string, db: Db): Promise<void> {
  const heads = await allHeads(season, db);
  let frontier = emptyFrontier;
  let nextHead = 0;
  for (;;) {
    const rows = await leavesFrom({ season, from: frontier.size, limit: pageRows }, db);
    for (const row of rows) {
      if (row.index !== frontier.size || row.hash !== leafHash(row.text))
        throw new StoredInconsistency(
          `leaf ${frontier.size} of the log of ${season} is not what was appended`,
        );
      frontier = append(frontier, row.hash);
      const head = heads[nextHead];
      if (head?.size !== frontier.size) continue;
      if (head.root !== frontierRoot(frontier))
        throw new StoredInconsistency(
          `the log of ${season} has another root at size ${head.size} than was signed`,
        );
      nextHead += 1;
    }
    if (rows.length < pageRows) break;
  }
  const lost = heads[nextHead];
  if (lost !== undefined)
    throw new StoredInconsistency(
      `the log of ${season} has ${frontier.size} leaves, but a tree of ${lost.size} was signed`,
    );
}
