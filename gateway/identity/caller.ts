import type { Scope } from '@vtb/protocol/wire/identity.ts';

/** Somebody without a token. */
export interface Visitor {
  readonly kind: 'visitor';
}

/** Somebody with an access token. */
export interface Person {
  readonly kind: 'person';
  readonly account: string;
  readonly name: string;
  /** Whether the account maintains this instance and the token isn't bound to a team. */
  readonly maintainer: boolean;
  readonly jti: string;
  /** The one team this token speaks for; null: all of the account's. */
  readonly team: string | null;
  readonly scopes: readonly Scope[];
  /** Expired or revoked: good for nothing but the uploads it committed. */
  readonly ended: boolean;
}

/** The enclave's courier. */
export interface GraderCaller {
  readonly kind: 'grader';
  readonly kid: string;
}

/** Who calls, as proven by the request itself. */
export type Caller = Visitor | Person | GraderCaller;

/** Names a caller in audit lines and idempotency keys. */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case 'visitor':
      return 'visitor';
    case 'person':
      return caller.account;
    case 'grader':
      return 'grader';
  }
}
