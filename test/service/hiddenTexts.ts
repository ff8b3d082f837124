import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessUrl } from '@vtb/db/embedded/access.ts';
import { connectVault } from '@vtb/db/vault/connect.ts';
import { activeSplit } from '@vtb/db/vault/splits.ts';
import { openSplit, openVaultFolder } from '@vtb/grader/vault/splitVault.ts';
import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import type { Service } from './service.ts';

/** The hidden split's tasks, opened with the vault's own key: what nobody outside may ever read. */
export async function hiddenTasks(service: Service): Promise<readonly PromptTask[]> {
  const url = accessUrl(service.access, 'vaultApp', 'vtb_vault');
  await using database = connectVault({ url, connectionsMax: 1 });
  const hex = (await readFile(join(service.dataDir, 'grader/keys/vault.key'), 'utf8')).trim();
  const folder = join(service.dataDir, 'grader/vault');
  const vault = await openVaultFolder({ db: database.db, folder, key: Buffer.from(hex, 'hex') });
  const split = await activeSplit({ season: 'pocket', track: 'wordmath', purpose: 'final' }, database.db);
  if (split === undefined) throw new Error('the vault holds no test split');
  return openSplit(split, vault);
}
