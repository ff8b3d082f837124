import { orderSchema } from '@vtb/protocol/messages/order.ts';
import { type Report, reportSchema } from '@vtb/protocol/messages/report.ts';
import { type MessageKind, type SigningKey, seal } from '@vtb/protocol/messages/sealing.ts';
import { decodeJwt } from 'jose';

/** The service's real keys, and one that nobody pins. */
export type ForgingKeys = Readonly<Record<'gateway' | 'token' | 'grader' | 'foreign', SigningKey>>;

/** What is wrong with a message, and how to make it; made late, because what it forges comes late. */
export type Forgery = readonly [what: string, make: () => string | Promise<string>];

/** Orders that must not be taken in the place of order `a`: `b` is the one after it, `before` the message before it. */
export function forgedOrders(
  of: () => { readonly a: string; readonly b: string; readonly before: string; readonly keys: ForgingKeys },
): Forgery[] {
  const payload = () => orderSchema.parse(decodeJwt(of().a));
  return [
    ['altered in its payload', () => flip(of().a, of().a.indexOf('.') + 40)],
    ['altered in its signature', () => flip(of().a, of().a.lastIndexOf('.') + 10)],
    ['cut by one character', () => of().a.slice(0, -1)],
    ['cut in half', () => cut(of().a, 0.5)],
    ['emptied', () => ''],
    ['with another order’s signature', () => mixed(of().a, of().b)],
    ['swapped with the next one', () => of().b],
    ['replaced by the message before it, replayed', () => of().before],
    ['not signed at all (alg none)', () => unsigned(of().a, 'vtb-order+jws')],
    ['signed by a foreign key', () => seal('order', payload(), of().keys.foreign)],
    [
      'signed by a foreign key under the gateway’s key id',
      () => seal('order', payload(), signedAs(of().keys.gateway.kid, of().keys.foreign)),
    ],
    ['signed by the grader itself', () => seal('order', payload(), of().keys.grader)],
    ['signed by the gateway’s key for tokens', () => seal('order', payload(), of().keys.token)],
    ['sealed as a cancel by the gateway’s own key', () => seal('cancel', payload(), of().keys.gateway)],
    ['sealed as a report by the gateway’s own key', () => seal('report', payload(), of().keys.gateway)],
    [
      'that follows another message than was taken in, by the gateway’s own key',
      () => seal('order', { ...payload(), previous: 'ab'.repeat(32) }, of().keys.gateway),
    ],
    [
      'for another receiver, by the gateway’s own key',
      () => seal('order', { ...payload(), aud: 'vtb-gateway' }, of().keys.gateway),
    ],
    [
      'with a member that no order has, by the gateway’s own key',
      () => seal('order', { ...payload(), note: 'x' }, of().keys.gateway),
    ],
  ];
}

/** Reports that must not be accepted in the place of report `a`; `b` is one of another order. */
export function forgedReports(
  of: () => { readonly a: string; readonly b: string; readonly keys: ForgingKeys },
): Forgery[] {
  const signed = (change: (report: Report) => unknown, kind: MessageKind = 'report') =>
    resigned(of().a, of().keys.grader, change, kind);
  type Scored = Extract<Report['result'], { kind: 'scored' }>;
  const rescored = (change: (result: Scored) => unknown) =>
    signed((report) => {
      if (report.result.kind !== 'scored') throw new Error('the report has no score');
      return { ...report, result: change(report.result) };
    });
  const metric = (change: object) =>
    rescored((result) => ({ ...result, metrics: result.metrics.map((one) => ({ ...one, ...change })) }));

  return [
    ['altered in its payload', () => flip(of().a, of().a.indexOf('.') + 40)],
    ['altered in its signature', () => flip(of().a, of().a.lastIndexOf('.') + 10)],
    ['cut by one character', () => of().a.slice(0, -1)],
    ['cut in half', () => cut(of().a, 0.5)],
    ['with another report’s signature', () => mixed(of().a, of().b)],
    ['not signed at all (alg none)', () => unsigned(of().a, 'vtb-report+jws')],
    ['signed by a foreign key', () => seal('report', payloadOf(of().a), of().keys.foreign)],
    [
      'signed by a foreign key under the grader’s key id',
      () => seal('report', payloadOf(of().a), signedAs(of().keys.grader.kid, of().keys.foreign)),
    ],
    ['signed by the gateway itself', () => seal('report', payloadOf(of().a), of().keys.gateway)],
    ['sealed as a notice', () => signed((report) => report, 'notice')],
    [
      'for another order’s submission',
      () => signed((r) => ({ ...r, submission: payloadOf(of().b).submission })),
    ],
    ['for another order', () => signed((r) => ({ ...r, order: payloadOf(of().b).order }))],
    ['that answers another order text', () => signed((r) => ({ ...r, orderDigest: 'ab'.repeat(32) }))],
    ['of another grading number', () => signed((r) => ({ ...r, gradingNumber: 2 }))],
    ['of another system', () => signed((r) => ({ ...r, system: 'ab'.repeat(32) }))],
    ['of another split', () => signed((r) => ({ ...r, split: 'ab'.repeat(32) }))],
    ['under other settings', () => signed((r) => ({ ...r, settings: 'ab'.repeat(32) }))],
    ['for another purpose', () => signed((r) => ({ ...r, purpose: 'validation' }))],
    ['that calls the split visible', () => signed((r) => ({ ...r, hidden: false }))],
    [
      'with an attachment of a hidden split',
      () => signed((r) => ({ ...r, attachments: [{ sha256: 'ab'.repeat(32), size: 9, kind: 'trials' }] })),
    ],
    ['with fewer tasks than the split', () => metric({ n: 9 })],
    ['with more trials than the track', () => metric({ k: 3 })],
    ['with more successes than trials', () => metric({ sumC: 21, sumC2: 42 })],
    ['with an interval that doesn’t follow from its sums', () => metric({ low: 0.123456789 })],
    [
      'with totals finer than two figures',
      () => rescored((r) => ({ ...r, totals: { ...r.totals, generatedTokens: 1_234 } })),
    ],
    ['with a text of its own', () => rescored((r) => ({ ...r, note: 'x' }))],
  ];
}

function payloadOf(jws: string): Report {
  return reportSchema.parse(decodeJwt(jws));
}

/** A report changed and signed again. */
export function resigned(
  jws: string,
  key: SigningKey,
  change: (report: Report) => unknown,
  kind: MessageKind = 'report',
): Promise<string> {
  return seal(kind, change(payloadOf(jws)), key);
}

/** The text with one character changed. */
export function flip(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

const partsOf = (jws: string) => {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  return { header, payload, signature };
};
const cut = (jws: string, share: number) => jws.slice(0, Math.floor(jws.length * share));
/** Another payload under the same header and signature. */
const mixed = (one: string, other: string) => {
  const { header, payload } = partsOf(one);
  return `${header}.${payload}.${partsOf(other).signature}`;
};
const unsigned = (jws: string, typ: string) =>
  `${Buffer.from(JSON.stringify({ alg: 'none', typ })).toString('base64url')}.${partsOf(jws).payload}.`;
const signedAs = (kid: string, key: SigningKey): SigningKey => ({ ...key, kid });
