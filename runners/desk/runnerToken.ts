import { messageTypes } from '@vtb/protocol/messages/sealing.ts';
import { importJWK, SignJWT } from 'jose';
import type { Enrolment } from '../enrolment.ts';

/** Who runner tokens are for. */
const deskAudience = 'vtb-desk';
/** The desk accepts tokens of at most this age. */
const tokenSeconds = 300;
/** A token is used this long; the rest is for clocks that differ and requests that wait. */
const useSeconds = 240;

/** Tokens of a runner (typ vtb-runner+jwt); one is made every four minutes at most. */
export function runnerTokens(enrolment: Enrolment, deps: { readonly now: () => Date }) {
  const privateKey = importJWK(enrolment.key.jwk, 'EdDSA');
  let held: { readonly madeAt: number; readonly token: Promise<string> } | null = null;
  return async (): Promise<string> => {
    const madeAt = Math.floor(deps.now().getTime() / 1_000);
    if (held === null || Math.abs(madeAt - held.madeAt) >= useSeconds) {
      const token = privateKey.then((key) =>
        new SignJWT()
          .setProtectedHeader({ alg: 'EdDSA', typ: messageTypes.runnerToken, kid: enrolment.key.kid })
          .setAudience(deskAudience)
          .setSubject(enrolment.runner)
          .setIssuedAt(madeAt)
          .setExpirationTime(madeAt + tokenSeconds)
          .sign(key),
      );
      held = { madeAt, token };
    }
    return held.token;
  };
}
