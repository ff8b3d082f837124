import type { JWK } from 'jose';
import { sha256Hex } from '../digest.ts';
import type { Problem } from '../errors.ts';
import { Refusal } from '../errors.ts';
import { type TreeHead, treeHeadSchema } from './checkpoint.ts';
import { inclusionHolds, leafHash } from './merkle.ts';
import { type Leaf, leafSchema, type Receipt, receiptSchema, type SeasonRecord } from './receipt.ts';
import { type Report, reportSchema } from './report.ts';
import { unseal } from './sealing.ts';

/** What a receipt proves, or everything that is wrong with it. */
export type ReceiptVerdict =
  | {
      readonly ok: true;
      readonly report: Report;
      readonly record: SeasonRecord;
      readonly publication: Extract<Leaf, { kind: 'publication' }>;
      readonly head: TreeHead;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Checks a receipt offline: the grader signed the report; gateway and grader signed one tree head; the publication of
 * exactly that report and the season record that names the keys are leaves of that tree; the report is of a final, on a
 * test split that the log pinned before.
 *
 * trust  the season record (leaf 0's text) that the reader already trusts, from `vtb keys show`. Without it the
 *        receipt's own record is used, which proves consistency but not who the keys belong to: `null` must be said.
 */
export async function verifyReceipt(input: unknown, trust: string | null): Promise<ReceiptVerdict> {
  const parsed = receiptSchema.safeParse(input);
  if (!parsed.success) {
    return {
      ok: false,
      problems: parsed.error.issues.map((issue) => ({
        code: 'receipt.schema',
        at: `/${issue.path.join('/')}`,
        message: issue.message,
      })),
    };
  }
  const receipt = parsed.data;
  const problems: Problem[] = [];
  const fail = (code: string, at: string, message: string) => problems.push({ code, at, message });

  const record = leafOf(receipt.record.leaf, 'season');
  if (record === null)
    return {
      ok: false,
      problems: [{ code: 'receipt.record', at: '/record/leaf', message: 'leaf 0 is not a season record' }],
    };
  if (trust !== null && trust.trim() !== receipt.record.leaf)
    fail('receipt.trust', '/record/leaf', 'the season record is not the one you trust');

  const report = await opened(
    () => unseal('report', receipt.report, reportSchema, keySet(record.graderKeys)),
    '/report',
    problems,
  );
  const gatewayHead = await opened(
    () => unseal('treeHead', receipt.heads.gateway, treeHeadSchema, keySet(record.gatewayKeys)),
    '/heads/gateway',
    problems,
  );
  const graderHead = await opened(
    () => unseal('treeHead', receipt.heads.grader, treeHeadSchema, keySet(record.graderKeys)),
    '/heads/grader',
    problems,
  );
  const publication = leafOf(receipt.publication.leaf, 'publication');
  if (publication === null) fail('receipt.publication', '/publication/leaf', 'the leaf is not a publication');
  if (report === null || gatewayHead === null || graderHead === null || publication === null)
    return { ok: false, problems };

  if (gatewayHead.size !== graderHead.size || gatewayHead.root !== graderHead.root)
    fail('receipt.heads', '/heads', 'gateway and grader signed different trees');
  if (gatewayHead.log !== sha256Hex(receipt.record.leaf) || graderHead.log !== gatewayHead.log)
    fail('receipt.log', '/heads', 'the tree heads are of another log');
  const { size, root } = gatewayHead;
  if (
    !inclusionHolds(
      leafHash(receipt.publication.leaf),
      receipt.publication.index,
      size,
      receipt.publication.proof,
      root,
    )
  )
    fail('receipt.inclusion', '/publication/proof', 'the publication is not in the signed tree');
  if (!inclusionHolds(leafHash(receipt.record.leaf), 0, size, receipt.record.proof, root))
    fail('receipt.inclusion', '/record/proof', 'the season record is not leaf 0 of the signed tree');
  problems.push(...contradictions(receipt, report, publication, record));
  problems.push(...splitProblems(receipt, { report, record, size, root }));
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, report, record, publication, head: gatewayHead };
}

function contradictions(
  receipt: Receipt,
  report: Report,
  publication: Extract<Leaf, { kind: 'publication' }>,
  record: SeasonRecord,
): Problem[] {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['report', publication.report, sha256Hex(receipt.report)],
    ['grading', publication.grading, report.grading],
    ['gradingNumber', publication.gradingNumber, report.gradingNumber],
    ['submission', publication.submission, report.submission],
    ['system', publication.system, report.system],
    ['track', publication.track, report.track],
    ['season', publication.season, report.season],
    ['season', record.season, report.season],
    ['purpose', 'final', report.purpose],
  ];
  return pairs
    .filter(([, said, is]) => said !== is)
    .map(([name, said, is]) => ({
      code: 'receipt.contradiction',
      at: `/publication/${name}`,
      message: `the publication says ${String(said)}, the report ${String(is)}`,
    }));
}

/** The report's split must be pinned for finals of its track: by the record, or by a later leaf before the publication. */
function splitProblems(
  receipt: Receipt,
  {
    report,
    record,
    size,
    root,
  }: {
    readonly report: Report;
    readonly record: SeasonRecord;
    readonly size: number;
    readonly root: string;
  },
): Problem[] {
  const problem = (message: string) => [{ code: 'receipt.split', at: '/splits', message }];
  const pins = (splits: SeasonRecord['splits']) =>
    splits.some(
      ({ track, purpose, split }) => purpose === 'final' && track === report.track && split === report.split,
    );
  const { splits } = receipt;
  if (splits === null)
    return pins(record.splits) ? [] : problem('the season record pins another test split for this track');
  const later = leafOf(splits.leaf, 'splits');
  if (later === null || later.season !== report.season || !pins(later.splits))
    return problem('the leaf does not pin the split of the report');
  if (splits.index >= receipt.publication.index) return problem('the split was pinned after the publication');
  return inclusionHolds(leafHash(splits.leaf), splits.index, size, splits.proof, root)
    ? []
    : problem('the leaf that pins the split is not in the signed tree');
}

function leafOf<Kind extends Leaf['kind']>(text: string, kind: Kind): Extract<Leaf, { kind: Kind }> | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = leafSchema.safeParse(json);
  return parsed.success && isKind(parsed.data, kind) ? parsed.data : null;
}

function isKind<Kind extends Leaf['kind']>(leaf: Leaf, kind: Kind): leaf is Extract<Leaf, { kind: Kind }> {
  return leaf.kind === kind;
}

function keySet(keys: readonly JWK[]): Record<string, JWK> {
  return Object.fromEntries(keys.map((key) => [key.kid ?? '', key]));
}

async function opened<T>(
  open: () => Promise<{ readonly payload: T }>,
  at: string,
  problems: Problem[],
): Promise<T | null> {
  try {
    return (await open()).payload;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    problems.push({ code: 'receipt.signature', at, message: cause.message });
    return null;
  }
}
