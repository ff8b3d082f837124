import { boardTableSchema } from '@vtb/protocol/board/table.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { regradedSchema } from '@vtb/protocol/wire/admin.ts';
import { publicEntrySchema } from '@vtb/protocol/wire/board.ts';
import { entryDetailSchema, entrySchema, runSchema } from '@vtb/protocol/wire/entries.ts';
import { logSchema } from '@vtb/protocol/wire/log.ts';
import { committedSchema, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { done } from '../service/documents.ts';
import { type Service, startService } from '../service/service.ts';
import { newTeam, submissionOf, submitSystem, systemDir, type Team } from '../service/team.ts';

const errorSchema = z.object({ error: z.object({ kind: z.string(), code: z.string() }) });

let service: Service;
let team: Team;
/** A published final. */
const way = { token: '', entry: '', final: '' };

beforeAll(async () => {
  service = await startService();
  team = await newTeam('Afterwards', service);
  const wanted = { agent: 'Walker', system: 'tuned', purpose: 'final' } as const;
  const { entry, submission } = await submitSystem(wanted, team);
  Object.assign(way, { token: team.token, entry, final: submission });
  const published = async () => (await submissionOf(submission, team)).state === 'published';
  await service.until('the publication', published, 180_000);
}, 400_000);
afterAll(() => service?.stop());

const member = (...args: string[]) => service.vtb([...args, '--json'], way.token);
const owner = (...args: string[]) => service.vtb([...args, '--json'], service.ownerToken);
const visitor = (...args: string[]) => service.vtb([...args, '--json']);
const api = (path: string) => fetch(`${service.url}/api/v1${path}`);

describe('a withdrawal', { timeout: 90_000 }, () => {
  const newRun = async (agent: string) => {
    const made = done(await member('entry', 'create', '--season', 'pocket', '--agent', agent), entrySchema);
    const run = await member('run', 'start', '--entry', made.id, '--track', 'wordmath');
    return done(run, runSchema).id;
  };
  const withdraw = (id: string) => member('withdraw', id, '--reason', 'a test of withdrawing');
  const statusOf = async (run: string) =>
    done(await member('run', 'status', run), z.object({ run: runSchema })).run;
  const withdrawalsOf = async (submission: string) => {
    const { leaves } = logSchema.parse(await (await api('/log?season=pocket')).json());
    return leaves
      .map(({ text }) => leafSchema.parse(JSON.parse(text)))
      .filter((leaf) => leaf.kind === 'withdrawal' && leaf.submission === submission).length;
  };

  test('before the bytes came gives the final back and reopens the run', async () => {
    const run = await newRun('Early');
    const submission = done(await member('status', way.final), submissionSchema);
    const manifest = await service.sql.public`SELECT manifest FROM submissions WHERE id = ${submission.id}`;
    // Another file than any that was sent: its chunk is missing, so the commit waits for it.
    const body = { purpose: 'final', manifest: withNotes(manifest[0]?.manifest) };
    const commit = await fetch(`${service.url}/api/v1/runs/${run}/submissions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${way.token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    });
    const committed = committedSchema.parse(await commit.json());
    expect(committed.missingCount).toBe(1);
    expect((await statusOf(run)).quota.finals.reserved).toBe(1);
    expect(done(await withdraw(committed.id), submissionSchema).state).toBe('withdrawn');
    expect(await statusOf(run)).toMatchObject({
      endedAt: null,
      quota: { finals: { reserved: 0, spent: 1 } },
    });
    expect(await withdrawalsOf(committed.id)).toBe(0);
  });

  test('from the queue gives nothing back, stands in the log, and is never graded; waiting for it timed out with code 4', async () => {
    const run = await newRun('Late');
    await service.pause('courier');
    try {
      const dir = systemDir('tuned');
      const submit = ['submit', dir, '--run', run, '--purpose', 'final', '--wait', '--timeout', '2'];
      const waited = await member(...submit);
      expect(waited.code).toBe(4);
      expect(errorSchema.parse(waited.document).error.kind).toBe('timedOut');
      const [row] = await service.sql.public`SELECT id, state FROM submissions WHERE run = ${run}`;
      expect(row?.state).toBe('queued');
      expect(done(await withdraw(row?.id), submissionSchema).state).toBe('withdrawn');
      expect(done(await withdraw(row?.id), submissionSchema).state).toBe('withdrawn');
      expect((await statusOf(run)).quota.finals).toMatchObject({ spent: 2, reserved: 0 });
      expect(await withdrawalsOf(row?.id)).toBe(1);
    } finally {
      await service.resume('courier');
    }
    await service.until('the cancelled order', async () => {
      const [row] = await service.sql.vault`
        SELECT state FROM orders WHERE submission IN
        (SELECT submission FROM orders ORDER BY number DESC LIMIT 1)`;
      return row?.state === 'cancelled';
    });
    const [replays] = await service.sql.vault`
      SELECT count(*)::int AS count FROM replays JOIN orders ON orders.id = replays."order"
      WHERE orders.state = 'cancelled'`;
    expect(replays?.count).toBe(0);
  });

  test('of a published final is a mark: the score stays', async () => {
    const marked = done(await withdraw(way.final), submissionSchema);
    expect(marked.state).toBe('published');
    expect(marked.withdrawnAt).not.toBeNull();
    expect(await withdrawalsOf(way.final)).toBe(1);
    const table = done(await visitor('board', '--season', 'pocket'), boardTableSchema);
    const cell = table.rows.find(({ id }) => id === way.entry)?.cells.wordmath;
    expect(cell).toMatchObject({ kind: 'replayed', withdrawnAt: marked.withdrawnAt });
  });

  test('of another team’s submission finds nothing there', async () => {
    const stranger = await newTeam('Stranger', service);
    const answer = await service.vtb(['withdraw', way.final, '--reason', 'mine', '--json'], stranger.token);
    expect(answer.code).toBe(1);
    expect(errorSchema.parse(answer.document).error.code).toBe('notFound');
  });
});

describe('a re-grade', { timeout: 240_000 }, () => {
  test('appends a grading and moves the pointer; the old result keeps its address, its receipt and its date', async () => {
    const before = new Date().toISOString();
    const refused = await member('admin', 'regrade', way.final, '--reason', 'not a maintainer');
    expect(refused.code).toBe(1);
    const regraded = done(await owner('admin', 'regrade', way.final, '--reason', 'a test'), regradedSchema);
    expect(regraded).toMatchObject({ submission: way.final, number: 2 });
    await service.until(
      'the second publication',
      async () => {
        const { gradings } = await submissionOf(way.final, team);
        return gradings.some((grading) => grading.number === 2 && grading.published);
      },
      150_000,
    );
    const { gradings } = done(await member('status', way.final), submissionSchema);
    expect(gradings.map(({ number, cause, current }) => ({ number, cause, current }))).toEqual([
      { number: 1, cause: 'first', current: false },
      { number: 2, cause: 'regrade', current: true },
    ]);
    const receipts = gradings.map(({ receipt }) => service.url + receipt);
    for (const [index, receipt] of receipts.entries()) {
      await service.until('both receipts', async () => (await fetch(receipt)).status === 200);
      const verdict = await visitor('verify', receipt);
      expect(verdict).toMatchObject({ code: 0, document: { gradingNumber: index + 1 } });
    }
    const entry = entryDetailSchema.parse(await (await api(`/entries/${way.entry}`)).json());
    const published = publicEntrySchema.parse(entry.published);
    expect(published.finals.flatMap((final) => final.gradings.map(({ number }) => number))).toEqual([1, 2]);
    const now = done(await visitor('board', '--season', 'pocket'), boardTableSchema);
    const then = done(await visitor('board', '--season', 'pocket', '--as-of', before), boardTableSchema);
    const numberOn = (table: typeof now) => {
      const cell = table.rows.find(({ id }) => id === way.entry)?.cells.wordmath;
      return cell?.kind === 'replayed' ? cell.gradingNumber : null;
    };
    expect([numberOn(then), numberOn(now)]).toEqual([1, 2]);
    const [spent] = await service.sql.public`
      SELECT count(*)::int AS count FROM ledger WHERE submission = ${way.final} AND act = 'spend'`;
    expect(spent?.count).toBe(1);
  });
});

const manifestSchema = z.looseObject({ files: z.array(z.unknown()) });

/** The same system with one more small file, which nobody has sent. */
function withNotes(manifest: unknown): unknown {
  const parsed = manifestSchema.parse(manifest);
  const sha256 = 'ab'.repeat(32);
  const file = { path: 'research.jsonl', role: 'researchLog', size: 7, chunks: [{ sha256, size: 7 }] };
  return { ...parsed, files: [...parsed.files, file].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)) };
}

function pathOf(file: unknown): string {
  return z.looseObject({ path: z.string() }).parse(file).path;
}
