import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../canonicalJson.ts';
import { sha256Hex } from '../digest.ts';
import { newSigningKey } from './keys.ts';
import { inclusionProof, leafHash, treeRoot } from './merkle.ts';
import type { Receipt } from './receipt.ts';
import { publicHalf, type SigningKey, seal } from './sealing.ts';
import { verifyReceipt } from './verifyReceipt.ts';

const digest = (text: string) => sha256Hex(text);
const id = (prefix: string) => `${prefix}_${'a'.repeat(20)}`;
let gateway: SigningKey;
let grader: SigningKey;
let receipt: Receipt;

beforeAll(async () => {
  gateway = await newSigningKey();
  grader = await newSigningKey();
  receipt = await receiptOf({});
});

interface Over {
  readonly publication?: Record<string, unknown>;
  readonly report?: Record<string, unknown>;
  /** The split that the season record pins. */
  readonly recordSplit?: string;
  /** The split that leaf 1 pins, and whether the receipt carries that leaf. */
  readonly laterSplit?: string;
}

const pin = (split: string) => ({
  track: 'wordmath',
  purpose: 'final',
  split: digest(split),
  commitment: digest('commitment'),
});

async function receiptOf(over: Over): Promise<Receipt> {
  const record = canonicalJson({
    kind: 'season',
    season: 'pocket',
    definition: digest('toml'),
    gatewayKeys: [publicHalf(gateway)],
    graderKeys: [publicHalf(grader)],
    splits: [pin(over.recordSplit ?? 'split')],
    at: '2026-12-01T00:00:00Z',
  });
  const later = canonicalJson({
    kind: 'splits',
    season: 'pocket',
    splits: [pin(over.laterSplit ?? 'other')],
    reason: 'test',
    at: '2026-12-01T00:30:00Z',
  });
  const subject = {
    grading: id('grd'),
    gradingNumber: 1,
    submission: id('sub'),
    season: 'pocket',
    track: 'wordmath',
    system: digest('system'),
  };
  const report = await seal(
    'report',
    {
      v: 1,
      aud: 'vtb-gateway',
      id: id('rep'),
      ...subject,
      order: id('ord'),
      purpose: 'final',
      split: digest('split'),
      settings: digest('settings'),
      orderDigest: digest('order'),
      hidden: true,
      result: { kind: 'failed', fault: 'ours', cause: 'engine' },
      attachments: [],
      maintainersPart: digest('part'),
      ...over.report,
    },
    grader,
  );
  const publication = canonicalJson({
    kind: 'publication',
    entry: id('ent'),
    ...subject,
    report: digest(report),
    at: '2026-12-01T01:00:00Z',
    ...over.publication,
  });
  const leaves = [record, later, publication].map(leafHash);
  const head = { v: 1, aud: 'vtb-public', log: digest(record), size: 3, root: treeRoot(leaves) };
  return {
    schema: 'vtb-receipt/1',
    report,
    publication: {
      leaf: publication,
      index: 2,
      proof: inclusionProof(leaves, 2).map((hash) => sha256(hash)),
    },
    record: { leaf: record, proof: inclusionProof(leaves, 0).map((hash) => sha256(hash)) },
    splits:
      over.laterSplit === undefined
        ? null
        : { leaf: later, index: 1, proof: inclusionProof(leaves, 1).map((hash) => sha256(hash)) },
    heads: { gateway: await seal('treeHead', head, gateway), grader: await seal('treeHead', head, grader) },
  };
}

const sha256 = (hash: string) => hash as Receipt['record']['proof'][number];
const codesOf = async (input: unknown, trust: string | null = null) => {
  const verdict = await verifyReceipt(input, trust);
  return verdict.ok ? [] : verdict.problems.map(({ code }) => code);
};

describe('verifyReceipt', () => {
  test('a true receipt holds, with and without the trusted season record', async () => {
    expect(await codesOf(receipt)).toEqual([]);
    expect(await codesOf(receipt, receipt.record.leaf)).toEqual([]);
  });

  test('another season record than the trusted one is named', async () => {
    expect(await codesOf(receipt, receipt.record.leaf.replace('pocket', 'socket'))).toContain(
      'receipt.trust',
    );
  });

  test('no byte of a receipt can flip', async () => {
    const text = JSON.stringify(receipt);
    for (let index = 0; index < text.length; index += 7) {
      const flipped = String.fromCharCode(text.charCodeAt(index) ^ 1);
      let altered: unknown;
      try {
        altered = JSON.parse(text.slice(0, index) + flipped + text.slice(index + 1));
      } catch {
        continue;
      }
      // The last base64url character of a signature carries unused bits: the decoded bytes may be the same.
      if (/[A-Za-z0-9_-]"/.test(text.slice(index, index + 2))) continue;
      expect((await codesOf(altered)).length, `byte ${index}`).toBeGreaterThan(0);
    }
  });

  test('a publication that says something else than the report is named', async () => {
    expect(await codesOf(await receiptOf({ publication: { gradingNumber: 2 } }))).toEqual([
      'receipt.contradiction',
    ]);
    expect(await codesOf(await receiptOf({ publication: { report: digest('other') } }))).toEqual([
      'receipt.contradiction',
    ]);
  });

  test('a validation score, or one on a split that nobody pinned for finals, is no published result', async () => {
    expect(await codesOf(await receiptOf({ report: { purpose: 'validation' } }))).toEqual([
      'receipt.contradiction',
    ]);
    expect(await codesOf(await receiptOf({ report: { split: digest('easier') } }))).toEqual([
      'receipt.split',
    ]);
    expect(await codesOf(await receiptOf({ recordSplit: 'older' }))).toEqual(['receipt.split']);
  });

  test('a split pinned later holds with its leaf, and only with a leaf that pins it before the publication', async () => {
    const receipt_ = await receiptOf({ recordSplit: 'older', laterSplit: 'split' });
    expect(await codesOf(receipt_)).toEqual([]);
    expect(await codesOf({ ...receipt_, splits: null })).toEqual(['receipt.split']);
    expect(await codesOf(await receiptOf({ recordSplit: 'older', laterSplit: 'third' }))).toEqual([
      'receipt.split',
    ]);
    const late = { ...receipt_, splits: receipt_.splits && { ...receipt_.splits, index: 2 } };
    expect(await codesOf(late)).toContain('receipt.split');
  });

  test('heads over different trees, or swapped between signers, are named', async () => {
    const other = await receiptOf({ publication: { submission: `sub_${'b'.repeat(20)}` } });
    expect(await codesOf({ ...receipt, heads: { ...receipt.heads, grader: other.heads.grader } })).toContain(
      'receipt.heads',
    );
    expect(
      await codesOf({ ...receipt, heads: { gateway: receipt.heads.grader, grader: receipt.heads.gateway } }),
    ).toContain('receipt.signature');
  });

  test('anything else than a receipt lists what is missing', async () => {
    expect(await codesOf({})).toContain('receipt.schema');
    expect(await codesOf(null)).toContain('receipt.schema');
  });
});
