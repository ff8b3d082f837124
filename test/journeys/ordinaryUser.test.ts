import { readFileSync } from 'node:fs';
import { canEnter } from '@vtb/db/embedded/account.ts';
import { receiptSchema } from '@vtb/protocol/messages/receipt.ts';
import { verifyReceipt } from '@vtb/protocol/messages/verifyReceipt.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, root, type Service, startService } from '../service/service.ts';
import { newTeam, submissionOf, submitSystem, systemDir, type Team } from '../service/team.ts';

/**
 * The service of a person who isn't root and has no Docker. Where the tests run as root they take an account that owns
 * nothing; otherwise they are that person.
 */
const account = process.getuid?.() === 0 ? nobody() : undefined;
const canRun = account === undefined || (await canEnter(account, root));

let service: Service;
let team: Team;

beforeAll(async () => {
  if (!canRun) return;
  const env = { VTB_SANDBOX: 'auto', DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
  service = await startService({ env, ...(account === undefined ? {} : { account }) });
  team = await newTeam('Ordinary', service);
}, 200_000);
afterAll(() => service?.stop());

const name =
  'without root and Docker the whole way is the same, and everybody is told of the weaker isolation';
const needs =
  'skipped: needs a clone that other accounts may enter (enable with: chmod o+x on its parent folders)';

test.skipIf(!canRun)(
  canRun ? name : `${name} (${needs})`,
  async () => {
    for (const pid of [...(await service.pids('gateway')), ...(await service.pids('runner'))])
      expect(uidOf(pid)).toBe(account?.uid ?? process.getuid?.());
    const wanted = { agent: 'Ordinary', system: 'tuned', purpose: 'final' } as const;
    const { submission, entry } = await submitSystem(wanted, team);
    const published = async () => (await submissionOf(submission, team)).state === 'published';
    await service.until('the publication', published, 180_000);
    const [grading] = (await submissionOf(submission, team)).gradings;
    const url = service.url + grading?.receipt;
    await service.until('the receipt', async () => (await fetch(url)).status === 200);
    const verdict = await verifyReceipt(receiptSchema.parse(await (await fetch(url)).json()), null);
    if (!verdict.ok || verdict.report.result.kind !== 'scored') throw new Error('the receipt has no score');
    const { environment, flags } = verdict.report.result;
    expect(['process', 'process+netns']).toContain(environment.isolation);
    expect(flags).toContain('notIsolatedFromHost');
    const page = await (await fetch(`${service.url}/entries/${entry}`)).text();
    expect(page).toMatch(/not isolated from (this|the|its) host/i);
    expect((await service.vtb(['check', systemDir('initial'), '--json'])).code).toBe(0);
  },
  300_000,
);

/** An account with an entry in /etc/passwd, which Postgres asks for. */
function nobody(): Account {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? '').split(':');
  if (uid === undefined || gid === undefined) throw new Error('there is no account nobody');
  return { uid: Number(uid), gid: Number(gid) };
}

function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
