import { upsertSeason } from '@vtb/db/public/seasonRows.ts';
import { releaseFinals } from '@vtb/gateway/sweeps/releaseFinals.ts';
import { sendCheckpoints } from '@vtb/gateway/sweeps/sendCheckpoints.ts';
import { scored, testEnclave } from '@vtb/gateway/testing/testEnclave.ts';
import type { TestGateway } from '@vtb/gateway/testing/testGateway.ts';
import { exampleSeason } from '@vtb/protocol/board/exampleSeason.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { type PublishedRow, publishRows } from './publishedRows.ts';

/** What pages of a seeded instance are about. */
export interface SeededContest {
  /** A final that was graded, released, logged and cosigned through the app's own doors. */
  readonly published: string;
  readonly grading: string;
  readonly entry: string;
  /** A final that waits for a runner. */
  readonly moving: string;
  /** An entry with a name that is hostile to pages. */
  readonly hostile: string;
}

/** A name that would be markup, script or a broken line if a page forgot that names are text. */
export const hostileName = '<img src=x onerror="document.title=1">&amp;\u202e"\'';
/** Names as people have them. */
export const unicodeName = 'Ωmega 研究者 🧪 é עברית';

/** A season of two tracks, with a row that somebody else measured. */
export const duoSeason = 'duo';

/** Fills an instance: one final published the whole way, one under way, and a season with rows of every kind. */
export async function seedContest(gateway: TestGateway): Promise<SeededContest> {
  const { deps, clock } = gateway;
  const enclave = testEnclave(gateway);
  await enclave.holdSplits();
  const published = await enclave.queued();
  const order = await enclave.lastOrder(published.id);
  await enclave.deliver(await enclave.report(order, scored(150)));
  clock.at = new Date(clock.at.getTime() + 10_000);
  await releaseFinals(deps);
  await sendCheckpoints(deps);
  await enclave.cosign();
  const moving = await enclave.queued();
  const document = {
    ...exampleSeason(['alpha', 'beta'], [baseline, reported]),
    id: duoSeason,
    title: 'Two tracks',
    columns: ['avg', 'alpha', 'beta', 'hours', 'researchTokens', 'replayTokens', 'finalsUsed'],
  };
  await upsertSeason({ id: duoSeason, definition: sha256Hex(duoSeason), document, at: clock.at }, deps.db);
  const made = await publishRows({ season: duoSeason, rows: duoRows }, gateway);
  return {
    published: published.id,
    grading: order.grading,
    entry: published.entry,
    moving: moving.id,
    hostile: made[1]?.entry ?? '',
  };
}

/** Ties, unicode and hostile names, a zero, a result without a score, an incomplete row. */
const duoRows: readonly PublishedRow[] = [
  { agent: unicodeName, harness: 'Harness', solved: { alpha: 120, beta: 60 }, researchTokens: 1_900_000 },
  {
    agent: hostileName,
    harness: hostileName,
    team: `${hostileName} team`,
    solved: { alpha: 100, beta: 40 },
    researchTokens: 800_000,
  },
  { agent: 'Tied one', harness: null, solved: { alpha: 90, beta: 30 } },
  { agent: 'Tied two', harness: 'Codex', solved: { alpha: 30, beta: 90 }, researchTokens: 400_000 },
  { agent: 'Zero', harness: null, solved: { alpha: 0, beta: 5 }, researchTokens: 2_400_000 },
  { agent: 'Unscored', harness: 'Codex', solved: { alpha: 44, beta: null } },
  { agent: 'One track', harness: 'Codex', solved: { beta: 77 }, researchTokens: 90_000 },
];

const baseline = {
  kind: 'baseline',
  name: 'Initial system',
  weights: 'base',
  scoreTenths: { alpha: 105, beta: 93 },
  source: 'table 3',
};
const reported = {
  kind: 'reported',
  name: 'Elsewhere + Codex',
  researchAgent: 'Elsewhere',
  researchHarness: 'Codex',
  scoreTenths: { alpha: 412, beta: 250 },
  hoursTenths: 300,
  source: 'table 3',
};
