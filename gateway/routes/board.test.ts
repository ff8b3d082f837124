import { connectPublic } from '@vtb/db/public/connect.ts';
import { addLedgerLine } from '@vtb/db/public/ledger.ts';
import { readBoardFacts, readSeason, readSeasons } from '@vtb/db/public/read/board.ts';
import { readPublicEntry } from '@vtb/db/public/read/entry.ts';
import { readPublicSubmission } from '@vtb/db/public/read/submission.ts';
import { markWithdrawn } from '@vtb/db/public/withdrawals.ts';
import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordWithdrawal } from '../actions/recordWithdrawal.ts';
import { releaseFinals } from '../sweeps/releaseFinals.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock } = gateway;
const site = connectPublic({ url: gateway.database.readUrl ?? '', connectionsMax: 2 });
afterAll(() => site[Symbol.asyncDispose]());

beforeAll(async () => {
  await enclave.holdSplits();
});

async function published(solved: number) {
  const submission = await enclave.queued();
  await enclave.deliver(await enclave.report(await enclave.lastOrder(submission.id), scored(solved)));
  clock.at = new Date(clock.at.getTime() + 10_000);
  expect(await releaseFinals(deps)).toBe(1);
  return submission;
}

describe('the site’s read-only role', () => {
  it('builds the board, an entry and a submission, and sees neither audit nor tokens', async () => {
    const { id, entry } = await published(120);
    const [row] = await readSeasons(site.db);
    if (row === undefined) throw new Error('the pocket season is served');
    const facts = await readBoardFacts({ season: row.season, asOf: clock.at }, site.db);
    expect(buildBoard(facts).rows.find((row) => row.id === entry)).toMatchObject({
      kind: 'entry',
      avg: { shown: '60.0' },
    });
    expect(await readPublicEntry({ id: entry, asOf: clock.at }, site.db)).toMatchObject({
      finals: [{ submission: id }],
    });
    expect(await readPublicSubmission({ id, asOf: clock.at }, site.db)).toMatchObject({
      final: { gradings: [{ number: 1, current: true }] },
    });
    for (const table of ['audit', 'tokens', 'feed', 'idempotency'])
      await expect(site.sql.unsafe(`SELECT 1 FROM ${table}`), table).rejects.toThrow(/permission denied/);
    await expect(site.sql.unsafe('UPDATE gradings SET number = 1')).rejects.toThrow(
      /permission denied|read-only transaction/,
    );
  });

  it('sees nothing of a submission that is not published', async () => {
    const { id, entry } = await enclave.queued();
    expect(await readPublicEntry({ id: entry, asOf: clock.at }, site.db)).toBeUndefined();
    expect(await readPublicSubmission({ id, asOf: clock.at }, site.db)).toBeUndefined();
    expect(await readPublicSubmission({ id: 'sub_nothing', asOf: clock.at }, site.db)).toBeUndefined();
  });
});

it('finals used are counted over all entries of the team, from the ledger, up to the instant asked for', async () => {
  const first = await published(10);
  const before = clock.at;
  clock.at = new Date(clock.at.getTime() + 1_000);
  for (const { id, run } of [first, await enclave.queued({ team: first.team })])
    await addLedgerLine(
      {
        team: first.team,
        run,
        submission: id,
        account: 'finals',
        act: 'spend',
        reason: 'queued',
        at: clock.at,
      },
      deps.db,
    );
  const used = async (asOf: Date) => {
    const season = await readSeason('pocket', deps.db);
    if (season === undefined) throw new Error('the pocket season is served');
    const { published: facts } = await readBoardFacts({ season: season.season, asOf }, deps.db);
    return facts.find(({ entry }) => entry === first.entry)?.finalsUsed;
  };
  expect(await used(before)).toBe(0);
  expect(await used(clock.at)).toBe(2);
});

it('a withdrawal after publication marks the row, is a leaf of the log, and a board of before shows it unmarked', async () => {
  const { id, entry } = await published(33);
  const before = clock.at.toISOString();
  clock.at = new Date(clock.at.getTime() + 1_000);
  await deps.db.transaction(async (tx) => {
    expect(await markWithdrawn({ submission: id, at: clock.at }, tx)).toBe(true);
    await recordWithdrawal({ submission: id, actor: 'gateway', at: clock.at }, tx);
  });
  const cell = async (query: string) => {
    const response = await gateway.call(null, 'GET', `/seasons/pocket/board${query}`);
    const table = (await response.json()) as ReturnType<typeof buildBoard>;
    return table.rows.find((row) => row.id === entry)?.cells.wordmath;
  };
  expect(await cell('')).toMatchObject({ kind: 'replayed', withdrawnAt: clock.at.toISOString() });
  expect(await cell(`?asOf=${before}`)).toMatchObject({ withdrawnAt: null });
  const log = (await (await gateway.call(null, 'GET', '/log?season=pocket')).json()) as {
    leaves: { text: string }[];
  };
  expect(JSON.parse(log.leaves.at(-1)?.text ?? '')).toMatchObject({ kind: 'withdrawal', submission: id });
});

it('what the board does not take is refused by name', async () => {
  const status = async (path: string) => (await gateway.call(null, 'GET', path)).status;
  expect(await status('/seasons/nowhere/board')).toBe(404);
  expect(await status('/seasons/pocket/board?format=pdf')).toBe(400);
  expect(await status('/seasons/pocket/board?asOf=yesterday')).toBe(400);
  expect(await status('/seasons/pocket/board?asOf=2999-01-01T00:00:00Z')).toBe(400);
  expect(await status('/seasons/pocket/board?format=csv&format=md')).toBe(400);
  expect(await status('/seasons/pocket/board?sort=asc')).toBe(400);
  const seasons = (await (await gateway.call(null, 'GET', '/seasons')).json()) as {
    seasons: { id: string; tracks: unknown[] }[];
  };
  expect(seasons.seasons.map(({ id }) => id)).toEqual(['pocket']);
});
