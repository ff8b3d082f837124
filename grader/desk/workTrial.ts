import { join } from 'node:path';
import type { Vault } from '@vtb/db/vault/connect.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { findReplay } from '@vtb/db/vault/replays.ts';
import { splitByDigest } from '@vtb/db/vault/splits.ts';
import {
  addArtifact,
  artifactsOf,
  findTrial,
  giveBackTrial,
  noteAgentDone,
  type Resolution,
  resolveTrial,
  type TrialRow,
} from '@vtb/db/vault/trials.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import type { DeskTask, TrialOutcome } from '@vtb/protocol/wire/desk.ts';
import { type Enclave, findTrackOf } from '../enclave.ts';
import { keyedMark, openSplit, sealForTrial } from '../vault/splitVault.ts';
import { judgePrompt } from '../verify/prompt.ts';
import { writeWhole } from '../writeWhole.ts';
import { type Hold, trialHeld } from './held.ts';

/** The task of a held trial, without label and name. */
export async function readTask(hold: Hold, enclave: Enclave): Promise<DeskTask> {
  const { problem } = await taskOf(await trialHeld(hold, enclave.db, enclave), enclave.db, enclave);
  return { driver: 'prompt', problem };
}

/** From here on nothing submitted runs for the trial. */
export async function agentDone(hold: Hold, enclave: Enclave): Promise<{ leaseMs: number }> {
  await enclave.db.transaction(async (tx) => {
    const trial = await trialHeld(hold, tx, enclave);
    await noteAgentDone({ id: trial.id, now: enclave.now() }, tx);
  });
  return { leaseMs: enclave.limits.leaseMs };
}

/** Takes a trial's outcome: sealed, judged, resolved; or given back for another try when it failed by our doing. */
export async function takeOutcome(
  hold: Hold,
  outcome: TrialOutcome,
  enclave: Enclave,
): Promise<{ accepted: true; again: boolean }> {
  const text = canonicalJson(outcome);
  const mark = keyedMark(`${hold.id}\n${hold.fencing}\n${text}`, enclave.vault);
  return enclave.db.transaction(async (tx) => {
    if (await repeats(hold, mark, tx)) return { accepted: true, again: true };
    const trial = await trialHeld(hold, tx, enclave);
    if (outcome.kind === 'failed' && outcome.fault === 'ours') {
      await giveBackTrial({ id: trial.id, mark }, tx);
      enclave.log('warn', 'trial.failedOurs', { trial: trial.id, order: trial.order, phase: outcome.phase });
    } else {
      const sealed = sealForTrial(new TextEncoder().encode(text), trial.id, enclave.vault);
      const verdict = await judge(trial, outcome, tx, enclave);
      await resolveTrial(
        {
          id: trial.id,
          now: enclave.now(),
          resolution: { ...verdict, ...outcome.usage, outcome: sealed, outcomeMark: mark },
        },
        tx,
      );
    }
    return { accepted: true, again: false };
  });
}

/** Whether this very outcome was taken before. throws state.conflict when another one was. */
async function repeats(hold: Hold, mark: string, tx: Vault): Promise<boolean> {
  const trial = await findTrial(hold.id, tx);
  if (
    trial === undefined ||
    trial.fencing !== hold.fencing ||
    trial.outcomeMark === null ||
    trial.replay === null
  )
    return false;
  if ((await findReplay(trial.replay, tx))?.runner !== hold.runner) return false;
  if (trial.outcomeMark === mark) return true;
  if (trial.state === 'resolved') throw new Refusal('state.conflict', 'the trial has another outcome');
  return false;
}

async function judge(
  trial: TrialRow,
  outcome: TrialOutcome,
  tx: Vault,
  enclave: Enclave,
): Promise<Pick<Resolution, 'judged' | 'reward' | 'failedPhase'>> {
  if (outcome.kind === 'failed') return { judged: 'failed', reward: 0, failedPhase: outcome.phase };
  const { track } = await orderOf(trial, tx, enclave);
  return { ...judgePrompt(outcome, await taskOf(trial, tx, enclave), track.settings), failedPhase: null };
}

async function taskOf(trial: TrialRow, db: Vault, enclave: Enclave): Promise<PromptTask> {
  const { order } = await orderOf(trial, db, enclave);
  const { season, track, split: digest } = order.document;
  const split = await splitByDigest({ season, track, digest }, db);
  const task = split === undefined ? undefined : (await openSplit(split, enclave.vault))[trial.task];
  if (task === undefined) throw new Error(`trial ${trial.id} has no task in the vault`);
  return task;
}

async function orderOf(trial: TrialRow, db: Vault, enclave: Enclave) {
  const order = await findOrder(trial.order, db);
  const found =
    order === undefined ? undefined : findTrackOf(order.document.season, order.document.track, enclave);
  if (order === undefined || found === undefined)
    throw new Error(`trial ${trial.id} has no order or no track here`);
  return { order, track: found.track };
}

/** A trial's artifacts at most; a transcript and its log-probabilities are two. */
const artifactsMax = 32;
const artifactsBytesMax = 256 * 1024 * 1024;

/** Seals a file that a runner sends for a held trial into the vault's folder. The same again changes nothing. */
export async function takeArtifact(
  hold: Hold,
  sha256: string,
  bytes: Uint8Array,
  enclave: Enclave,
): Promise<{ accepted: true; again: boolean }> {
  if (sha256Hex(bytes) !== sha256) throw new Refusal('chunk.mismatch', 'the bytes do not have that digest');
  return enclave.db.transaction(async (tx) => {
    const trial = await trialHeld(hold, tx, enclave);
    const there = await artifactsOf(trial.id, tx);
    if (there.count >= artifactsMax || there.bytes + bytes.length > artifactsBytesMax) {
      throw new Refusal(
        'request.tooLarge',
        `a trial has at most ${artifactsMax} artifacts and ${artifactsBytesMax} bytes of them`,
      );
    }
    const file = `${trial.id}.${sha256}.artifact`;
    await writeWhole(join(enclave.vault.folder, file), sealForTrial(bytes, trial.id, enclave.vault));
    const added = await addArtifact(
      { trial: trial.id, sha256, size: bytes.length, file, at: enclave.now() },
      tx,
    );
    return { accepted: true, again: !added };
  });
}
