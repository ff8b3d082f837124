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

async function receiptOf(publicationOver: Record<string, unknown>): Promise<Receipt> {
  const record = canonicalJson({
    kind: 'season',
    season: 'pocket',
    definition: digest('toml'),
    gatewayKeys: [publicHalf(gateway)],
    graderKeys: [publicHalf(grader)],
    splits: [],
    at: '2026-12-01T00:00:00Z',
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
    },
    grader,
  );
  const publication = canonicalJson({
    kind: 'publication',
    entry: id('ent'),
    ...subject,
    report: digest(report),
    at: '2026-12-01T01:00:00Z',
    ...publicationOver,
  });
  const leaves = [record, 'another leaf', publication].map(leafHash);
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
    expect(await codesOf(await receiptOf({ gradingNumber: 2 }))).toEqual(['receipt.contradiction']);
    expect(await codesOf(await receiptOf({ report: digest('other') }))).toEqual(['receipt.contradiction']);
  });

  test('heads over different trees, or swapped between signers, are named', async () => {
    const other = await receiptOf({ submission: `sub_${'b'.repeat(20)}` });
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
