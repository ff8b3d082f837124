import { moveOrder, type OrderRow, openOrders } from '@vtb/db/vault/orders.ts';
import { addReplay, killReplays, ordersAtWork, type ReplayRow } from '@vtb/db/vault/replays.ts';
import { noteCapabilities } from '@vtb/db/vault/runners.ts';
import { lockSchedule } from '@vtb/db/vault/schedule.ts';
import { claimableByOrder, freeTrials } from '@vtb/db/vault/trials.ts';
import type { Capabilities } from '@vtb/protocol/messages/notice.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { nextOrder, type OpenOrder } from '@vtb/protocol/states/nextOrder.ts';
import {
  type LeaseReply,
  type LeaseRequest,
  type ReplayLease,
  replayLeaseSchema,
} from '@vtb/protocol/wire/desk.ts';
import { type Enclave, findTrackOf } from '../enclave.ts';
import { leaseEnd } from './held.ts';

/** Seconds between looks while a runner waits: nothing rings when a lease elsewhere ends. */
const lookEveryMs = 1_000;

/**
 * Leases the next order's replay to a runner, waiting as long as it asked to. A runner holds one replay: asking for a
 * lease gives up the one it still holds, because it asks after it started anew or lost an answer.
 */
export async function leaseReplay(
  runner: string,
  request: LeaseRequest,
  signal: AbortSignal,
  enclave: Enclave,
): Promise<LeaseReply> {
  const { isolation } = request.capabilities;
  await noteCapabilities({ id: runner, capabilities: request.capabilities, now: enclave.now() }, enclave.db);
  if (!strongLevels.includes(isolation) && !enclave.isVaultEmbedded)
    enclave.log('warn', 'runner.tooWeak', { runner, isolation, needed: 'process+uid+netns' });
  const until = enclave.now().getTime() + request.waitSeconds * 1_000;
  for (;;) {
    const replay = signal.aborted ? null : await leaseOnce(runner, request.capabilities, enclave);
    const leftMs = until - enclave.now().getTime();
    if (replay !== null || leftMs <= 0 || signal.aborted) return { replay };
    await enclave.bell.wait(Math.min(leftMs, lookEveryMs), signal);
  }
}

async function leaseOnce(
  runner: string,
  capabilities: Capabilities,
  enclave: Enclave,
): Promise<ReplayLease | null> {
  const { db, log } = enclave;
  const leased = await db.transaction(async (tx) => {
    await lockSchedule(tx);
    const now = enclave.now();
    await freeTrials(await killReplays({ runner, now }, tx), tx);
    const open = await openOrders(tx);
    const free = await claimableByOrder({ attemptsMax: enclave.limits.trialAttemptsMax, now }, tx);
    const atWork = await ordersAtWork(now, tx);
    const fit = open.filter((order) => (free.get(order.id) ?? 0) > 0 && fits(order, capabilities, enclave));
    const busy = open.filter((order) => atWork.has(order.id)).map(asOpen);
    const waiting = fit.filter((order) => !atWork.has(order.id)).map(asOpen);
    // Nothing waits: help where work is left.
    const next = nextOrder(waiting, busy) ?? nextOrder(fit.map(asOpen), busy);
    if (next === undefined) return undefined;
    const order = await moveOrder({ order: next.id, event: 'accepted', now }, tx);
    if (order === undefined) return undefined;
    const replay = await addReplay(
      { id: enclave.newId('replay'), order: order.id, runner, now, until: leaseEnd(enclave) },
      tx,
    );
    return { order, replay };
  });
  if (leased === undefined) return null;
  const { order, replay } = leased;
  log('info', 'replay.leased', { replay: replay.id, order: order.id, runner, attempt: replay.attempt });
  enclave.bell.ring();
  return leaseOf(order, replay, enclave);
}

function leaseOf(order: OrderRow, replay: ReplayRow, enclave: Enclave): ReplayLease {
  const { season, track, settings, system } = order.document;
  return replayLeaseSchema.parse({
    replay: replay.id,
    fencing: replay.fencing,
    attempt: replay.attempt,
    leaseMs: enclave.limits.leaseMs,
    heartbeatMs: enclave.limits.heartbeatMs,
    season,
    track: findTrackOf(season, track, enclave)?.track,
    settings,
    system,
  });
}

function asOpen({ id, number, nominalMinutes, document }: OrderRow): OpenOrder {
  return {
    id,
    number,
    nominalMinutes,
    purpose: document.purpose,
    team: document.team,
    priority: document.priority,
  };
}

function fits(order: OrderRow, capabilities: Capabilities, enclave: Enclave): boolean {
  const track = findTrackOf(order.document.season, order.document.track, enclave)?.track;
  return (
    track !== undefined &&
    capabilities.engines.includes(track.engine.name) &&
    capabilities.drivers.includes(track.driver) &&
    isolates(track, capabilities, enclave)
  );
}

const strongLevels: readonly Capabilities['isolation'][] = ['container', 'process+uid+netns'];

/**
 * Whether a runner's boxes are strong enough for a track. Submitted harnesses run in containers only; below a uid of its
 * own only prompt tracks run, and only where the vault is the embedded database of a try-out.
 */
export function isolates(
  track: Pick<Track, 'edits' | 'driver'>,
  { isolation }: Pick<Capabilities, 'isolation'>,
  { isVaultEmbedded }: Pick<Enclave, 'isVaultEmbedded'>,
): boolean {
  if (track.edits.includes('harness')) return isolation === 'container';
  return strongLevels.includes(isolation) || (track.driver === 'prompt' && isVaultEmbedded);
}
