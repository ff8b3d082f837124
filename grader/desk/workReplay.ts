import { endReplay, findReplay, noteEnvironment } from '@vtb/db/vault/replays.ts';
import { claimTrials, freeTrials, renewTrials, trialCounts } from '@vtb/db/vault/trials.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Claim, ClaimReply, Finish, Heartbeat, HeartbeatReply } from '@vtb/protocol/wire/desk.ts';
import type { Enclave } from '../enclave.ts';
import { type Hold, heldReplay, leaseEnd } from './held.ts';

type Whose = Omit<Hold, 'fencing'>;

/** Renews a replay's lease and those of the trials it works on; names those that are no longer its own. */
export async function heartbeat(whose: Whose, body: Heartbeat, enclave: Enclave): Promise<HeartbeatReply> {
  return enclave.db.transaction(async (tx) => {
    const replay = await heldReplay({ ...whose, fencing: body.fencing }, tx, enclave);
    const renewal = { replay: replay.id, held: body.trials, now: enclave.now(), until: leaseEnd(enclave) };
    const renewed = await renewTrials(renewal, tx);
    const lost = body.trials.map(({ trial }) => trial).filter((trial) => !renewed.has(trial));
    return { leaseMs: enclave.limits.leaseMs, lost };
  });
}

/** Claims trials for a replay whose engine is up. */
export async function claim(whose: Whose, body: Claim, enclave: Enclave): Promise<ClaimReply> {
  const { trialAttemptsMax: attemptsMax, leaseMs } = enclave.limits;
  return enclave.db.transaction(async (tx) => {
    const replay = await heldReplay({ ...whose, fencing: body.fencing }, tx, enclave);
    if (!(await noteEnvironment({ id: replay.id, environment: body.environment }, tx))) {
      throw new Refusal('state.conflict', 'this replay said before that it runs something else');
    }
    const now = enclave.now();
    const rows = await claimTrials(
      { order: replay.order, replay: replay.id, room: body.room, attemptsMax, now, until: leaseEnd(enclave) },
      tx,
    );
    const counts = await trialCounts({ order: replay.order, attemptsMax, now }, tx);
    const others = counts.held - rows.length;
    return {
      leaseMs,
      trials: rows.map(({ id, fencing, attempt, seed }) => ({ trial: id, fencing, attempt, seed })),
      left: counts.claimable > 0 ? 'claimable' : others > 0 ? 'elsewhere' : 'none',
    };
  });
}

/** Ends a replay; what it still held is free at once. The same again is accepted again. */
export async function finish(
  whose: Whose,
  body: Finish,
  enclave: Enclave,
): Promise<{ accepted: true; again: boolean }> {
  const again = await enclave.db.transaction(async (tx) => {
    const before = await findReplay(whose.id, tx);
    const repeats =
      before?.runner === whose.runner && before.fencing === body.fencing && before.endedAt !== null;
    if (repeats && canonicalJson(before.finish) === canonicalJson(body.result)) return true;
    const replay = await heldReplay({ ...whose, fencing: body.fencing }, tx, enclave);
    await endReplay({ id: replay.id, now: enclave.now(), finish: body.result, engineMs: body.engineMs }, tx);
    await freeTrials([replay.id], tx);
    return false;
  });
  if (!again) enclave.log('info', 'replay.finished', { replay: whose.id, kind: body.result.kind });
  enclave.bell.ring();
  return { accepted: true, again };
}
