import type { Db } from '@vtb/db/public/connect.ts';
import {
  findLeaf,
  lastCosigned,
  lastHead,
  leafHashes,
  leavesFrom,
  logSize,
  type TreeHeadRow,
} from '@vtb/db/public/log.ts';
import { sha256Hex, sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { slugSchema } from '@vtb/protocol/ids.ts';
import { consistencyProof, inclusionProof } from '@vtb/protocol/messages/merkle.ts';
import { type LogView, leavesMax } from '@vtb/protocol/wire/log.ts';
import type { Action } from '../frame/route.ts';
import { numberInQuery, queryOf } from './queryOf.ts';

const anyNumber = numberInQuery(0, Number.MAX_SAFE_INTEGER).optional();

/** GET /log: leaves, the newest checkpoint and, where asked for, proofs against it. */
export const getLog: Action<null, LogView> = async (call, deps, tx) => {
  const asked = queryOf(call.query, {
    season: slugSchema,
    from: anyNumber,
    limit: numberInQuery(0, leavesMax).optional(),
    leaf: anyNumber,
    since: anyNumber,
  });
  const { season, from = 0, limit = 100 } = asked;
  if (!deps.seasons.has(season)) throw new Refusal('season.unknown', `there is no season ${season}`);
  const cosigned = await lastCosigned(season, tx);
  const last = await lastHead(season, tx);
  const record = await findLeaf(season, 0, tx);
  const leaves = await leavesFrom({ season, from, limit }, tx);
  return {
    season,
    log: record === undefined ? null : sha256Hex(record.text),
    size: await logSize(season, tx),
    leaves: leaves.map(({ index, text, hash, at }) => ({
      index,
      text,
      hash: sha256Schema.parse(hash),
      at: at.toISOString(),
    })),
    checkpoint: cosigned === undefined ? null : checkpointView(cosigned),
    pending: last === undefined || last.grader !== null ? null : checkpointView(last),
    ...(await proofs({ season, leaf: asked.leaf, since: asked.since, head: cosigned }, tx)),
  };
};

async function proofs(
  asked: {
    readonly season: string;
    readonly leaf: number | undefined;
    readonly since: number | undefined;
    readonly head: TreeHeadRow | undefined;
  },
  tx: Db,
): Promise<Pick<LogView, 'inclusion' | 'consistency'>> {
  const { season, leaf, since, head } = asked;
  if (leaf === undefined && since === undefined) return { inclusion: null, consistency: null };
  const size = head?.size ?? 0;
  if (leaf !== undefined && leaf >= size)
    throw new Refusal('request.invalid', `leaf ${leaf} is not in the newest checkpoint, of size ${size}`);
  if (since !== undefined && (since < 1 || since > size))
    throw new Refusal(
      'request.invalid',
      `since is ${since}; it must be from 1 to the newest checkpoint's size, ${size}`,
    );
  const hashes = await leafHashes(season, size, tx);
  const checked = (proof: readonly string[]) => proof.map((hash) => sha256Schema.parse(hash));
  return {
    inclusion:
      leaf === undefined ? null : { index: leaf, size, proof: checked(inclusionProof(hashes, leaf)) },
    consistency:
      since === undefined ? null : { oldSize: since, size, proof: checked(consistencyProof(hashes, since)) },
  };
}

function checkpointView({
  size,
  root,
  gateway,
  grader,
  at,
}: TreeHeadRow): NonNullable<LogView['checkpoint']> {
  return { size, root: sha256Schema.parse(root), gateway, grader, at: at.toISOString() };
}
