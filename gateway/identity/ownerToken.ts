import { readFile } from 'node:fs/promises';
import type { Db } from '@vtb/db/public/connect.ts';
import { ownerAccount } from '@vtb/db/public/ownerAccount.ts';
import { addAccount } from '@vtb/db/public/teams.ts';
import { writePrivately } from '@vtb/db/writePrivately.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { scopes, tokenDaysMax } from '@vtb/protocol/wire/identity.ts';
import { grantToken } from '../actions/issueToken.ts';
import type { Deps } from '../deps.ts';
import { identify } from './identify.ts';

/** A token with less than this left is replaced at a start. */
const renewBeforeMs = 7 * 86_400_000;

/**
 * Makes sure that the owner of this instance can sign in: the account is made at the first start, and its token is written
 * to a file of the operator's alone whenever that file holds none that will do.
 *
 * returns  whether a token was written.
 */
export async function ensureOwnerToken(path: string, deps: Deps): Promise<boolean> {
  const at = deps.now();
  const known = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (known !== '' && (await isGood(known, new Date(at.getTime() + renewBeforeMs), deps))) return false;
  const token = await deps.db.transaction(async (tx) => {
    const account = await ensureAccount(at, deps, tx);
    return grantToken(
      { account, actor: 'gateway', team: null, scopes: [...scopes], label: 'owner', days: tokenDaysMax, at },
      deps,
      tx,
    );
  });
  await writePrivately(path, `${token.token}\n`);
  return true;
}

async function ensureAccount(at: Date, deps: Deps, tx: Db): Promise<string> {
  const known = await ownerAccount(tx);
  if (known !== undefined) return known;
  const account = newId('account', deps.random(20));
  await addAccount({ id: account, name: 'Owner', maintainer: true, createdAt: at }, tx);
  return account;
}

async function isGood(token: string, at: Date, deps: Deps): Promise<boolean> {
  const caller = await identify({ authorization: `Bearer ${token}`, at }, deps).catch(() => null);
  return caller?.kind === 'person' && caller.maintainer && !caller.ended;
}
