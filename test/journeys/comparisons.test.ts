import { type BoardTable, boardTableSchema } from '@vtb/protocol/board/table.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { comparisonSchema } from '@vtb/protocol/messages/comparison.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { comparisonsSchema } from '@vtb/protocol/wire/comparisons.ts';
import { logSchema } from '@vtb/protocol/wire/log.ts';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../service/service.ts';
import { newTeam, submissionOf, submitSystem } from '../service/team.ts';

let service: Service;
let table: BoardTable;

beforeAll(async () => {
  service = await startService({ env: { VTB_DEMO: 'off' } });
  const team = await newTeam('Compared', service);
  const finals = [
    await submitSystem({ agent: 'Tuned', system: 'tuned', purpose: 'final' }, team),
    await submitSystem({ agent: 'Initial', system: 'initial', purpose: 'final' }, team),
  ];
  for (const { submission } of finals)
    await service.until(
      'the publication',
      async () => (await submissionOf(submission, team)).state === 'published',
      240_000,
    );
  await service.until('ranges on the board', async () => {
    table = boardTableSchema.parse(await (await api('/seasons/pocket/board')).json());
    const [first] = entries();
    return first?.avg?.rankRange != null && cellOf(first)?.rankRange != null;
  });
}, 500_000);
afterAll(() => service?.stop());

const api = (path: string) => fetch(`${service.url}/api/v1${path}`);
const entries = () => table.rows.filter(({ kind }) => kind === 'entry');
const cellOf = (row: BoardTable['rows'][number]) =>
  row.cells.wordmath?.kind === 'replayed' ? row.cells.wordmath : undefined;
const logOf = async () => logSchema.parse(await (await api('/log?season=pocket&limit=1000')).json());

describe('two published finals', { timeout: 120_000 }, () => {
  test('are compared by the grader, and the board says which ranks each could have', () => {
    const rows = entries();
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row.avg?.rankRange).toEqual(cellOf(row)?.rankRange);
      expect(cellOf(row)?.rankRange).toMatchObject({ low: expect.any(Number), high: expect.any(Number) });
    }
    expect(rows[0]?.avg?.rankRange).toMatchObject({ low: 1, withFirst: true });
  });

  test.each(['wordmath', 'avg'])(
    'the signed comparison (%s) is public, is a leaf, and tells verdicts alone',
    async (track) => {
      const view = comparisonsSchema.parse(await (await api(`/comparisons/${track}?season=pocket`)).json());
      const { jws = '', systems, verdicts } = view.comparison ?? {};
      expect(systems).toEqual(entries().map((row) => cellOf(row)?.grading));
      expect(verdicts).toMatch(/^[<=>]$/);
      expect(comparisonSchema.parse(decodeJwt(jws))).toMatchObject({ systems, verdicts });
      const leaves = (await logOf()).leaves.map(({ text }) => leafSchema.parse(JSON.parse(text)));
      const compared = leaves.filter((leaf) => leaf.kind === 'comparison');
      expect(compared.map((leaf) => leaf.comparison)).toContain(sha256Hex(jws));
    },
  );

  test('the round of checkpoint, comparison and leaf ends: the log comes to rest, signed by both', async () => {
    await service.until('a cosigned log', async () => {
      const { size, checkpoint, pending } = await logOf();
      return pending === null && checkpoint?.size === size;
    });
    const { size } = await logOf();
    const [asked] = await service.sql.public`
      SELECT count(*)::int AS open FROM comparisons
      WHERE comparison IS NULL AND last_size = (SELECT max(size) FROM tree_heads WHERE season = 'pocket')`;
    expect(asked?.open).toBe(0);
    const kinds = (await logOf()).leaves.map(({ text }) => leafSchema.parse(JSON.parse(text)).kind);
    expect(kinds.filter((kind) => kind === 'publication')).toHaveLength(2);
    expect(kinds.filter((kind) => kind === 'comparison')).toHaveLength(2);
    expect((await logOf()).size).toBe(size);
  });

  test('the page shows the range with what it means', async () => {
    const html = await (await fetch(`${service.url}/seasons/pocket`)).text();
    expect(html).toMatch(/<td class="rank[^"]*"[^>]*title="[^"]*paired tests of all ranked rows/);
  });
});
