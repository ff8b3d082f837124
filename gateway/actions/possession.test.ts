import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { commit, madeSystem, newContest, uploadAndSeal } from '../testing/contest.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const { call, deps } = gateway;
const nonsense = createHash('sha256').update('nobody has this').digest('hex');

async function twoTeams() {
  const system = madeSystem();
  const [ours, theirs] = [await newContest(gateway), await newContest(gateway)];
  const committed = async ({ member, run }: typeof ours, wanted = system) =>
    commit(gateway, { token: member.token, run, purpose: 'validation', system: wanted });
  const mine = await committed(ours);
  await uploadAndSeal(gateway, { token: ours.member.token, submission: mine.id, system });
  return { system, theirs, committed, submission: await committed(theirs) };
}

test('what another team sent is missing for this one, and naming it, guessing it or sending other bytes proves nothing', async () => {
  const { system, theirs, submission } = await twoTeams();
  const { token } = theirs.member;
  expect([...submission.missing].sort()).toEqual(system.chunks.map(({ sha256 }) => sha256).sort());
  const [chunk] = system.chunks;
  const path = `/submissions/${submission.id}/chunks/${chunk?.sha256}`;
  const size = chunk?.bytes.length ?? 0;
  const wrong = await call(token, 'PUT', path, Buffer.alloc(size, 1));
  expect(await wrong.json()).toMatchObject({ code: 'chunk.mismatch' });
  const empty = await call(token, 'PUT', path, Buffer.alloc(0));
  expect(empty.status).toBe(422);
  expect((await call(token, 'POST', `/submissions/${submission.id}/seal`)).status).toBe(409);
  const { missingCount } = await (await call(token, 'GET', `/submissions/${submission.id}/missing`)).json();
  expect(missingCount).toBe(system.chunks.length);
});

test.each(['HEAD', 'GET', 'PUT', 'DELETE'])(
  '%s of a chunk that another team has sent looks as for one that nobody has',
  async (method) => {
    const { system, theirs, committed } = await twoTeams();
    const other = await committed(theirs, madeSystem());
    const seen = async (sha256: string) => {
      const body = method === 'PUT' ? Buffer.from('x') : undefined;
      const path = `/submissions/${other.id}/chunks/${sha256}`;
      const response = await call(theirs.member.token, method, path, body);
      const text = (await response.text()).replace(/req_\w+/, 'req');
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
      return { status: response.status, text, headers };
    };
    // The weights: descriptions may be alike.
    const foreign = await seen(system.chunks[1]?.sha256 ?? '');
    expect(foreign).toEqual(await seen(nonsense));
    expect(foreign.status).toBe(404);
  },
);

test('two teams that race with the same bytes each possess them by their own sending alone', async () => {
  const system = madeSystem();
  const teams = [await newContest(gateway), await newContest(gateway)];
  const submissions = await Promise.all(
    teams.map(({ member, run }) =>
      commit(gateway, { token: member.token, run, purpose: 'validation', system }),
    ),
  );
  const [first, second] = teams;
  const [one, two] = submissions;
  if (first === undefined || second === undefined || one === undefined || two === undefined)
    throw new Error('two teams');
  await Promise.all([
    uploadAndSeal(gateway, { token: first.member.token, submission: one.id, system }),
    ...system.chunks
      .slice(0, 1)
      .map(({ sha256, bytes }) =>
        call(second.member.token, 'PUT', `/submissions/${two.id}/chunks/${sha256}`, bytes),
      ),
  ]);
  const left = await (await call(second.member.token, 'GET', `/submissions/${two.id}/missing`)).json();
  expect(left.missing).toEqual(system.chunks.slice(1).map(({ sha256 }) => sha256));
  for (const { sha256 } of system.chunks) expect(await deps.chunks.has(sha256)).toBe(true);
});
