import type { Vault } from '@vtb/db/vault/connect.ts';
import type { OrderRow } from '@vtb/db/vault/orders.ts';
import { addOutgoing } from '@vtb/db/vault/outgoing.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { audiences } from '@vtb/protocol/messages/common.ts';
import {
  type Attachment,
  type MaintainersPart,
  maintainersPartSchema,
  type Report,
  type Result,
  reportSchema,
} from '@vtb/protocol/messages/report.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import type { Enclave } from '../enclave.ts';

/** Signs an order's one report and lets it leave with the caller's transaction; a second one changes nothing. */
export async function sendReport(
  input: {
    readonly order: OrderRow;
    readonly result: Result;
    readonly attachments: readonly Attachment[];
    readonly maintainers: Omit<MaintainersPart, 'order'>;
  },
  tx: Vault,
  enclave: Enclave,
): Promise<void> {
  const { order, result, attachments } = input;
  if (order.hidden && attachments.length > 0)
    throw new Error('a report on a hidden split has no attachments');
  const maintainers = await sealForMaintainers(
    { order: order.id, ...input.maintainers },
    enclave.maintainerKey,
  );
  const { document } = order;
  const report: Report = reportSchema.parse({
    v: 1,
    aud: audiences.gateway,
    id: enclave.newId('report'),
    order: document.order,
    grading: document.grading,
    gradingNumber: document.gradingNumber,
    submission: document.submission,
    season: document.season,
    track: document.track,
    purpose: document.purpose,
    system: document.system,
    split: document.split,
    settings: document.settings,
    orderDigest: order.digest,
    hidden: order.hidden,
    result,
    attachments,
    maintainersPart: sha256Hex(maintainers),
  });
  const message = await seal('report', report, enclave.signingKey);
  const added = await addOutgoing(
    {
      id: report.id,
      kind: 'report',
      reportOf: order.id,
      message,
      digest: sha256Hex(message),
      maintainers,
      attachments: attachments.map((attachment) => attachment.sha256),
      madeAt: enclave.now(),
    },
    tx,
  );
  if (added) enclave.log('info', 'report.made', { order: order.id, report: report.id, kind: result.kind });
}

/** The plain text's size whatever is in it: 32 phases, the cause and the detail fit. */
const paddedBytes = 9_216;

/** Encrypts the maintainers' part to their key. Padded with spaces to one size, so that its length says nothing. */
export async function sealForMaintainers(part: MaintainersPart, key: JWK): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(maintainersPartSchema.parse(part)));
  if (bytes.length > paddedBytes)
    throw new RangeError(`a maintainers' part of ${bytes.length} bytes is over ${paddedBytes}`);
  const padded = new Uint8Array(paddedBytes).fill(0x20);
  padded.set(bytes);
  return new CompactEncrypt(padded)
    .setProtectedHeader({
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      typ: 'vtb-maintainers+jwe',
      ...(key.kid === undefined ? {} : { kid: key.kid }),
    })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}
