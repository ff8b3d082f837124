import { raiseAlarm } from '@vtb/db/vault/alarms.ts';
import { addOutgoing, isOutgoing } from '@vtb/db/vault/outgoing.ts';
import { closeRankedList, openRankedLists, type RankedListRow } from '@vtb/db/vault/rankedLists.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { audiences } from '@vtb/protocol/messages/common.ts';
import {
  averagedSystem,
  type Comparison,
  comparedListDigest,
  comparisonSchema,
} from '@vtb/protocol/messages/comparison.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { packVerdicts } from '@vtb/protocol/scoring/packVerdicts.ts';
import { pairAvg } from '@vtb/protocol/scoring/pairAvg.ts';
import { pairRepeated } from '@vtb/protocol/scoring/pairRepeated.ts';
import { pairSums } from '@vtb/protocol/scoring/pairSums.ts';
import type { Enclave } from '../enclave.ts';
import { errorFields } from '../log.ts';
import { averaged } from './askComparisons.ts';
import { columnVerdicts, continueColumn, newColumn, type PairTest } from './comparedColumn.ts';
import { type GradedTrack, gradedTracks } from './gradedRows.ts';

/**
 * Works on the comparisons that checkpoints asked for: one step each, so that orders don't wait behind a long list.
 *
 * A list is compared once: its message's id is made of the list, and the same list of a later checkpoint finds it made.
 * That also ends the round of checkpoint, comparison, leaf and checkpoint: the leaf changes no list. A list that the
 * vault can't compare in full is refused with an alarm, and nothing of it leaves.
 */
export async function makeComparisons(enclave: Enclave): Promise<void> {
  for (const list of await openRankedLists(enclave.db)) {
    try {
      await makeComparison(list, enclave);
    } catch (error) {
      if (error instanceof Refusal || error instanceof RangeError) await refuse(list, error.message, enclave);
      else enclave.log('error', 'comparison.failed', { season: list.season, ...errorFields(error) });
    }
  }
}

async function makeComparison(list: RankedListRow, enclave: Enclave): Promise<void> {
  const { db, columns } = enclave;
  const inAvg = list.track === averaged;
  const named = {
    season: list.season,
    track: inAvg ? null : list.track,
    systems: list.rows.map((row) => averagedSystem(row)),
  };
  const id = newId('comparison', Buffer.from(comparedListDigest(named), 'hex'));
  if (await isOutgoing(id, db)) return closeRankedList(list, db);
  const key = `${list.season} ${list.track} ${list.split}`;
  let column = columns.get(key);
  if (column === undefined || column.systems.join() !== named.systems.join()) {
    const tracks = await gradedTracks(list, enclave);
    const made = newColumn(named.systems, inAvg ? avgTest(tracks) : trackTest(tracks), column?.column);
    column = { systems: named.systems, column: made, pairsMax: pairsAtOnce(tracks, inAvg) };
    columns.set(key, column);
  }
  if (!continueColumn(column.column, column.pairsMax)) return enclave.bell.ring();
  await send(
    id,
    list,
    {
      v: 1,
      aud: audiences.gateway,
      ...named,
      split: inAvg ? null : list.split,
      logSize: list.size,
      verdicts: packVerdicts(columnVerdicts(column.column)),
    },
    enclave,
  );
}

async function send(
  id: string,
  list: RankedListRow,
  comparison: Record<keyof Comparison, unknown>,
  enclave: Enclave,
): Promise<void> {
  const message = await seal('comparison', comparisonSchema.parse(comparison), enclave.signingKey);
  await enclave.db.transaction(async (tx) => {
    await addOutgoing(
      {
        id,
        kind: 'comparison',
        reportOf: null,
        message,
        digest: sha256Hex(message),
        maintainers: null,
        attachments: [],
        madeAt: enclave.now(),
      },
      tx,
    );
    await closeRankedList(list, tx);
  });
  const { season, track, size } = list;
  enclave.log('info', 'comparison.made', { season, track, size, rows: list.rows.length });
}

async function refuse(list: RankedListRow, why: string, enclave: Enclave): Promise<void> {
  const { season, track, size } = list;
  enclave.log('error', 'comparison.refused', { season, track, size, why });
  await enclave.db.transaction(async (tx) => {
    await raiseAlarm(
      {
        at: enclave.now(),
        code: 'comparison.refused',
        subject: track === averaged ? season : `${season}/${track}`,
        detail: why.slice(0, 500),
      },
      tx,
    );
    await closeRankedList(list, tx);
  });
}

function trackTest(tracks: readonly GradedTrack[]): PairTest {
  const [{ rows, k } = { rows: [], k: 1 }] = tracks;
  return (i, j) => {
    const { pMid, difference } = pairRepeated({ a: rows[i] ?? [], b: rows[j] ?? [], k });
    return { p: pMid, difference };
  };
}

function avgTest(tracks: readonly GradedTrack[]): PairTest {
  const weight = 1 / tracks.length;
  return (i, j) => {
    const parts = tracks.map(({ rows, k }) => ({
      ...pairSums({ a: rows[i] ?? [], b: rows[j] ?? [], k }),
      weight,
    }));
    const { p, difference } = pairAvg(parts);
    return { p, difference };
  };
}

/** A step's work: about half a second by a pair's additions, tasks² × k in the sign-flip test and tasks in Avg. */
const additionsAtOnce = 300_000_000;

function pairsAtOnce(tracks: readonly GradedTrack[], inAvg: boolean): number {
  const additions = tracks.reduce((sum, { rows, k }) => {
    const tasks = rows[0]?.length ?? 1;
    return sum + (inAvg ? tasks + 1_000 : tasks * tasks * k);
  }, 0);
  return Math.max(1, Math.floor(additionsAtOnce / additions));
}
