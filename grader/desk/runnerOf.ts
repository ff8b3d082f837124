import { runnerOwnsId } from '@vtb/db/vault/runners.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { idSchema } from '@vtb/protocol/ids.ts';
import { messageTypes, type TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import { errors, importJWK, jwtVerify } from 'jose';
import type { Enclave } from '../enclave.ts';

/** Who runner tokens are for. */
export const deskAudience = 'vtb-desk';
/** A runner's token lives at most this long. */
export const tokenSecondsMax = 300;

/**
 * The runner that sends a request, by its token (typ vtb-runner+jwt, aud vtb-desk, sub the runner's id).
 *
 * throws  Refusal('token.missing' | 'token.invalid'); an id that another key owns is an invalid token.
 */
export async function runnerOf(
  authorization: string | undefined,
  keys: () => Promise<TrustedKeys>,
  enclave: Enclave,
): Promise<string> {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(authorization ?? '')?.[1];
  if (token === undefined)
    throw new Refusal('token.missing', "send the runner's token as Authorization: Bearer");
  const { runner, kid } = await verified(token, await keys(), enclave.now());
  if (!(await runnerOwnsId({ id: runner, kid, now: enclave.now() }, enclave.db)))
    throw new Refusal('token.invalid', 'the token is not valid');
  return runner;
}

async function verified(
  token: string,
  trusted: TrustedKeys,
  now: Date,
): Promise<{ readonly runner: string; readonly kid: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid }) => {
        const jwk = kid !== undefined && Object.hasOwn(trusted, kid) ? trusted[kid] : undefined;
        if (jwk === undefined) throw new Refusal('token.invalid', 'the token is not valid');
        return importJWK(jwk, 'EdDSA');
      },
      {
        algorithms: ['EdDSA'],
        audience: deskAudience,
        typ: messageTypes.runnerToken,
        requiredClaims: ['sub', 'exp', 'iat'],
        maxTokenAge: tokenSecondsMax,
        clockTolerance: 5,
        currentDate: now,
      },
    );
    const runner = idSchema('runner').safeParse(payload.sub).data;
    const lives = (payload.exp ?? 0) - (payload.iat ?? 0);
    if (runner === undefined || protectedHeader.kid === undefined || lives > tokenSecondsMax)
      throw new Refusal('token.invalid', 'the token is not valid');
    return { runner, kid: protectedHeader.kid };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    if (cause instanceof errors.JOSEError || cause instanceof TypeError)
      throw new Refusal('token.invalid', 'the token is not valid');
    throw cause;
  }
}
