import { type Service, startService } from '../service/service.ts';
import { newTeam, submissionOf, submitSystem, type Team } from '../service/team.ts';

/** Finals measured, after one that warms up files, caches and the engine's binaries. */
const measured = 3;

/** A figure for the record: no ratio, no goal. */
interface Figure {
  readonly name: string;
  readonly ratio: null;
  readonly goal: null;
  readonly detail: Readonly<Record<string, number | string>>;
}

/**
 * How long the spine itself takes, around the replay: from a final's seal to its first trial (inspection, order, courier,
 * grader, lease, weights, engine), and from its last trial to the published row (report, courier, release, board). The
 * small season releases each second, so up to one second of the second figure is the grid's. Medians of three, in seconds.
 */
export async function run(): Promise<readonly Figure[]> {
  await using service = await startService();
  const team = await newTeam('Bench', service);
  await timesOf('warm up', team, service);
  const times: Times[] = [];
  for (let index = 0; index < measured; index += 1)
    times.push(await timesOf(`final ${index}`, team, service));
  const figure = (name: string, pick: (times: Times) => number): Figure => {
    const sorted = times.map(pick).sort((a, b) => a - b);
    const [least = 0, median = 0, most = 0] = sorted;
    return {
      name,
      ratio: null,
      goal: null,
      detail: { medianSeconds: median, leastSeconds: least, mostSeconds: most },
    };
  };
  return [
    figure('seal to first trial', ({ toFirstTrial }) => toFirstTrial),
    figure('last trial to published row', ({ toRow }) => toRow),
  ];
}

interface Times {
  readonly toFirstTrial: number;
  readonly toRow: number;
}

/** Instants are the databases' own: sealed and published by the gateway's clock, trials by the grader's; one machine. */
async function timesOf(agent: string, team: Team, service: Service): Promise<Times> {
  const { sql } = service;
  const { submission, entry } = await submitSystem({ agent, system: 'tuned', purpose: 'final' }, team);
  const sealedAt = Date.now();
  const firstClaim = async () =>
    (
      await sql.vault`
      SELECT 1 FROM trials JOIN orders ON orders.id = trials."order"
      WHERE submission = ${submission} AND attempt > 0 LIMIT 1`
    ).length > 0;
  await service.until('the first trial', firstClaim, 120_000);
  const firstTrialAt = Date.now();
  await service.until('the row', () => hasRow(entry, service), 120_000);
  const rowAt = Date.now();
  const [last] = await sql.vault`
    SELECT extract(epoch FROM max(resolved_at)) * 1000 AS ms FROM trials JOIN orders ON orders.id = trials."order"
    WHERE submission = ${submission}`;
  if ((await submissionOf(submission, team)).state !== 'published')
    throw new Error('a row without publication');
  return {
    toFirstTrial: (firstTrialAt - sealedAt) / 1_000,
    toRow: (rowAt - Number(last?.ms)) / 1_000,
  };
}

async function hasRow(entry: string, { url }: Service): Promise<boolean> {
  const board = await (await fetch(`${url}/api/v1/seasons/pocket/board`)).json();
  return board.rows.some((row: { id: string; cells: { wordmath: { kind: string } } }) => {
    return row.id === entry && row.cells.wordmath.kind === 'replayed';
  });
}
