import type { Db } from '@vtb/db/public/connect.ts';
import { claimKey, keepReply } from '@vtb/db/public/idempotency.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Deps } from '../deps.ts';
import { resealTokens, withoutTokens } from '../identity/tokenReplies.ts';

/** A creating call and who makes it. */
export interface CreatingCall {
  readonly actor: string;
  readonly key: string | undefined;
  /** Digest of method, path and body. */
  readonly request: string;
  readonly at: Date;
  readonly act: () => Promise<unknown>;
}

/**
 * Acts for the first call with a key and answers the same to each later one.
 *
 * A refused call keeps nothing, so it may be repeated with the same key. Tokens in an answer are not kept: signing again
 * gives the same text.
 *
 * throws  Refusal request.idempotencyMissing, or request.idempotencyReused when the key came with another request.
 */
export async function answerOnce(call: CreatingCall, deps: Deps, tx: Db): Promise<unknown> {
  const { actor, key, request, at } = call;
  if (key === undefined || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw new Refusal(
      'request.idempotencyMissing',
      'send an Idempotency-Key of 1 to 200 visible ASCII characters, new for each thing to create',
    );
  }
  const claim = await claimKey({ actor, key, request, at }, tx);
  switch (claim.kind) {
    case 'otherRequest':
      throw new Refusal(
        'request.idempotencyReused',
        'this Idempotency-Key came with another path or body before; use a new one',
      );
    case 'replay':
      return resealTokens(claim.reply, deps, tx);
    case 'first': {
      const reply = await call.act();
      await keepReply({ actor, key, status: 201, reply: withoutTokens(reply) }, tx);
      return reply;
    }
  }
}
