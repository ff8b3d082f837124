import { raiseAlarm } from '@vtb/db/vault/alarms.ts';
import type { Vault } from '@vtb/db/vault/connect.ts';
import { advanceLog, cosignedLog, type LogRow } from '@vtb/db/vault/logs.ts';
import type { OrderRow } from '@vtb/db/vault/orders.ts';
import { issuedHere, ordersReported } from '@vtb/db/vault/outgoing.ts';
import { allSplits } from '@vtb/db/vault/splits.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { type Checkpoint, type TreeHead, treeHeadSchema } from '@vtb/protocol/messages/checkpoint.ts';
import { append, emptyFrontier, frontierRoot, leafHash } from '@vtb/protocol/messages/merkle.ts';
import { type Leaf, leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { askComparisons } from '../comparisons/askComparisons.ts';
import type { Enclave } from '../enclave.ts';
import { sendNotice } from '../notices.ts';

/**
 * Cosigns a checkpoint when the log only grew: its old size is what was signed last, the old tree plus exactly these
 * leaves has the root that the gateway signed, and no leaf contradicts the vault. Otherwise never: an alarm says why, and
 * since every later checkpoint builds on this one, none is cosigned until a person looked.
 */
export async function takeCheckpoint(checkpoint: Checkpoint, tx: Vault, enclave: Enclave): Promise<void> {
  const { season } = checkpoint;
  const signed = await cosignedLog(season, tx);
  const head = await headOf(checkpoint, enclave);
  const judged =
    head instanceof Refusal ? head.message : await advance(checkpoint, head, signed, tx, enclave);
  if (typeof judged === 'string' || head instanceof Refusal) {
    const equivocation =
      !(head instanceof Refusal) &&
      signed !== undefined &&
      head.size === signed.size &&
      head.root !== signed.root;
    const code = equivocation ? 'log.equivocation' : 'log.inconsistent';
    const detail = typeof judged === 'string' ? judged : 'the head does not hold';
    enclave.log('error', code, { season, number: checkpoint.number, why: detail });
    return raiseAlarm({ at: enclave.now(), code, subject: season, detail: detail.slice(0, 500) }, tx);
  }
  await advanceLog(judged, tx);
  await askComparisons(checkpoint, head.size, tx);
  await sendNotice(
    { kind: 'cosignature', season, size: head.size, head: await seal('treeHead', head, enclave.signingKey) },
    tx,
    enclave,
  );
  enclave.log('info', 'log.cosigned', { season, size: head.size });
}

async function headOf(checkpoint: Checkpoint, enclave: Enclave): Promise<TreeHead | Refusal> {
  try {
    return (await unseal('treeHead', checkpoint.head, treeHeadSchema, enclave.gatewayKeys)).payload;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The log after a checkpoint, or why it is not cosigned. */
async function advance(
  checkpoint: Checkpoint,
  head: TreeHead,
  signed: LogRow | undefined,
  tx: Vault,
  enclave: Enclave,
): Promise<LogRow | string> {
  const [first] = checkpoint.leaves;
  if (first === undefined) return 'no leaves';
  const log = signed?.log ?? sha256Hex(first);
  if (head.log !== log) return 'the head is of another log';
  // The same checkpoint again, because its cosignature was lost on the way: answered again.
  if (signed !== undefined && head.size === signed.size && head.root === signed.root) return signed;
  const size = signed?.size ?? 0;
  if (checkpoint.oldSize !== size) return `grows from ${checkpoint.oldSize}, while ${size} was signed last`;
  if (head.size !== size + checkpoint.leaves.length)
    return `the head says ${head.size} leaves, there are ${size + checkpoint.leaves.length}`;
  const frontier = checkpoint.leaves
    .map(leafHash)
    .reduce(append, signed === undefined ? emptyFrontier : { size, peaks: signed.peaks });
  if (frontierRoot(frontier) !== head.root) return 'the leaves do not give the root that was signed';
  const wrong = await wrongLeaf(checkpoint, size, tx, enclave);
  if (wrong !== null) return wrong;
  return {
    season: checkpoint.season,
    log,
    size: head.size,
    root: head.root,
    peaks: [...frontier.peaks],
    at: enclave.now(),
  };
}

async function wrongLeaf(
  checkpoint: Checkpoint,
  oldSize: number,
  tx: Vault,
  enclave: Enclave,
): Promise<string | null> {
  const leaves: Leaf[] = [];
  for (const [index, text] of checkpoint.leaves.entries()) {
    const leaf = parseLeaf(text);
    if (leaf === undefined || leaf.season !== checkpoint.season)
      return `leaf ${oldSize + index} is none of this season's`;
    if ((leaf.kind === 'season') !== (oldSize + index === 0))
      return `leaf ${oldSize + index} is ${leaf.kind === 'season' ? 'a second season record' : "in the season record's place"}`;
    leaves.push(leaf);
  }
  const publications = leaves.filter((leaf) => leaf.kind === 'publication');
  const reported = await ordersReported(
    publications.map((leaf) => leaf.report),
    tx,
  );
  for (const leaf of publications) {
    const wrong = wrongPublication(leaf, reported.get(leaf.report));
    if (wrong !== null) return wrong;
  }
  const compared = leaves.flatMap((leaf) => (leaf.kind === 'comparison' ? [leaf.comparison] : []));
  const made = await issuedHere('comparison', compared, tx);
  if (compared.some((comparison) => !made.has(comparison)))
    return 'publishes a comparison that was not made here';
  const held = new Set(
    (await allSplits(tx))
      .filter((row) => row.season === checkpoint.season)
      .map((row) => `${row.track} ${row.purpose} ${row.digest} ${row.commitment}`),
  );
  const pinned = leaves.flatMap((leaf) => ('splits' in leaf ? leaf.splits : []));
  if (pinned.some((pin) => !held.has(`${pin.track} ${pin.purpose} ${pin.split} ${pin.commitment}`)))
    return 'pins a split that the vault does not hold';
  const record = leaves.find((leaf) => leaf.kind === 'season');
  if (record !== undefined && !record.graderKeys.some((key) => key.kid === enclave.signingKey.kid))
    return "the season record lacks this grader's key";
  return null;
}

/** A publication says of a report what its order said, and only finals are published. */
function wrongPublication(leaf: Publication, order: OrderRow | undefined): string | null {
  if (order === undefined) return 'publishes a report that was not made here';
  const said = order.document;
  if (said.purpose !== 'final') return `publishes a report on ${said.purpose}`;
  const wrong = (['season', 'track', 'submission', 'grading', 'gradingNumber', 'system'] as const).find(
    (field) => leaf[field] !== said[field],
  );
  return wrong === undefined ? null : `publishes a report under another ${wrong} than its order’s`;
}

type Publication = Extract<Leaf, { kind: 'publication' }>;

function parseLeaf(text: string): Leaf | undefined {
  try {
    return leafSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
