import { exportJWK, generateKeyPair } from 'jose';
import { keyId, type SigningKey } from './sealing.ts';

/** A new Ed25519 key for signing messages or tokens; its id is its thumbprint. */
export async function newSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await keyId(jwk), jwk };
}

/** A new X25519 key that the maintainers' part of reports is encrypted to. */
export async function newMaintainerKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ECDH-ES', { crv: 'X25519', extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await keyId(jwk), jwk };
}
