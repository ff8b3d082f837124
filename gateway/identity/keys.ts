import type { SigningKey, TrustedKeys } from '@vtb/protocol/messages/sealing.ts';

/** Every key the gateway holds or pins. */
export interface GatewayKeys {
  /** Signs orders, cancels, checkpoints and tree heads. */
  readonly signing: SigningKey;
  /** Signs access tokens. */
  readonly token: SigningKey;
  /** HMAC key of team pseudonyms: 32 bytes. */
  readonly pseudonym: Uint8Array;
  /** Pinned: whose reports, notices and cosignatures are believed. */
  readonly grader: TrustedKeys;
  /** Pinned: whose airlock tokens are believed. */
  readonly courier: TrustedKeys;
}
