import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** 32 bytes. */
export type VaultKey = Uint8Array;

const magic = Buffer.from('VTBSEAL1');
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals bytes with AES-256-GCM under a fresh random nonce: magic, nonce, ciphertext, tag.
 *
 * about  bound to the bytes (additional data): a sealed thing opens only as what it was sealed as.
 */
export function seal(key: VaultKey, bytes: Uint8Array, about: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(about));
  return Buffer.concat([magic, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `seal` made. throws Error when key, content or what it is said to be about differ. */
export function open(key: VaultKey, sealed: Uint8Array, about: string): Uint8Array {
  const start = magic.length + nonceBytes;
  const buffer = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (buffer.length < start + tagBytes || !buffer.subarray(0, magic.length).equals(magic))
    throw new Error('this is not a sealed file');
  const decipher = createDecipheriv('aes-256-gcm', key, buffer.subarray(magic.length, start), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(buffer.subarray(buffer.length - tagBytes));
  try {
    return Buffer.concat([
      decipher.update(buffer.subarray(start, buffer.length - tagBytes)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new Error('the seal does not hold: another key, other bytes, or sealed as something else', {
      cause,
    });
  }
}
