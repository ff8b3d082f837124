import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { resultSchema } from '@vtb/protocol/messages/report.ts';
import { verifyReceipt } from '@vtb/protocol/messages/verifyReceipt.ts';
import { expect } from 'vitest';
import type { Service } from './service.ts';
import { smallSeason } from './smallSeason.ts';

/** Long enough for a whole grading after everything was killed once more, on a busy machine. */
const settleMs = 240_000;

/**
 * Waits until every final is published and everything about it has crossed, then holds both databases, the spool and the
 * log against each other: nothing is lost, and nothing is there twice.
 *
 * finals  ids of submissions; all that the service was given.
 */
export async function expectEverythingOnce(finals: readonly string[], service: Service): Promise<void> {
  await settled(finals, service);
  await expectOneReportEach(finals, service);
  await expectTrialsOnce(service);
  await expectLedger(finals, service);
  await expectChains(service);
  await expectReceipts(finals, service);
  const spool = join(service.dataDir, 'spool');
  for (const folder of ['inbox', 'outbox', 'refused'])
    expect(await readdir(join(spool, folder)), folder).toEqual([]);
  expect(await service.sql.vault`SELECT code, subject, detail FROM alarms`).toEqual([]);
}

async function settled(finals: readonly string[], { sql, dataDir, until }: Service): Promise<void> {
  const published = async () => {
    const [row] = await sql.public`
      SELECT count(*)::int AS count FROM submissions WHERE state = 'published' AND id = ANY(${[...finals]})`;
    return row?.count === finals.length;
  };
  await until('every publication', published, settleMs);
  const cosigned = async () => {
    const [row] = await sql.public`
      SELECT (SELECT count(*)::int FROM log_leaves) AS leaves,
             (SELECT max(size)::int FROM tree_heads WHERE grader IS NOT NULL) AS signed`;
    return row !== undefined && row.leaves === row.signed;
  };
  const compared = async () => {
    const open = await sql.public`
      SELECT list FROM comparisons
      WHERE comparison IS NULL AND last_size = (SELECT max(size) FROM tree_heads WHERE tree_heads.season = comparisons.season)`;
    return open.length === 0;
  };
  // Comparisons first: each is one leaf more, and nothing follows from its checkpoint.
  await until('compared rows and a cosigned log', async () => (await compared()) && cosigned(), settleMs);
  const carried = async () => {
    const [sent] = await sql.public`SELECT max(number)::int AS number FROM feed`;
    const [taken] = await sql.vault`SELECT max(number)::int AS number FROM feed_messages`;
    const spool = join(dataDir, 'spool');
    const waiting = [...(await readdir(join(spool, 'inbox'))), ...(await readdir(join(spool, 'outbox')))];
    return sent?.number === taken?.number && waiting.length === 0;
  };
  await until('an empty spool', carried, settleMs);
}

async function expectOneReportEach(finals: readonly string[], { sql }: Service): Promise<void> {
  const gradings = await sql.public`
    SELECT id, submission, "order", number, state, report_digest AS digest, published_at AS published
    FROM gradings ORDER BY submission, number`;
  const reports =
    await sql.vault`SELECT report_of AS "order", digest, written_at FROM outgoing WHERE kind = 'report'`;
  const orders = await sql.vault`SELECT id, state FROM orders`;
  expect(orders.map(({ id }) => id).sort()).toEqual(gradings.map(({ order }) => order).sort());
  for (const { order, digest } of gradings)
    expect(reports.filter((report) => report.order === order)).toMatchObject([{ order, digest }]);
  for (const submission of finals) {
    const mine = gradings.filter((grading) => grading.submission === submission);
    expect(mine.map(({ number }) => number)).toEqual(mine.map((_, index) => index + 1));
    // A grading that failed by our doing is followed by another; the last one has the score.
    expect(mine.map(({ state }) => state)).toEqual(
      mine.map((_, i) => (i + 1 < mine.length ? 'failed' : 'reported')),
    );
    expect(mine.filter(({ published }) => published !== null)).toHaveLength(1);
  }
  const leaves = await sql.public`SELECT text FROM log_leaves WHERE text LIKE '%"kind":"publication"%'`;
  const said = leaves.map(({ text }) => JSON.parse(text).submission).sort();
  expect(said).toEqual([...finals].sort());
  const audited = await sql.public`SELECT subject FROM audit WHERE act = 'grading.published'`;
  expect(new Set(audited.map(({ subject }) => subject)).size).toBe(finals.length);
  expect(audited).toHaveLength(finals.length);
}

async function expectTrialsOnce({ sql }: Service): Promise<void> {
  const orders = await sql.vault`SELECT id, result FROM orders WHERE state = 'reported'`;
  for (const { id, result: raw } of orders) {
    const result = resultSchema.parse(raw);
    if (result.kind !== 'scored') throw new Error(`order ${id} has no score`);
    const trials = await sql.vault`
      SELECT task, trial, state, reward, generated_tokens::int AS tokens FROM trials WHERE "order" = ${id}`;
    expect(trials).toHaveLength(smallSeason.tasks * smallSeason.trials);
    expect(new Set(trials.map(({ task, trial }) => `${task} ${trial}`)).size).toBe(trials.length);
    expect(trials.filter(({ state, reward }) => state !== 'resolved' || reward === null)).toEqual([]);
    const [metric] = result.metrics;
    expect(metric?.sumC).toBe(trials.reduce((sum, { reward }) => sum + reward, 0));
    const tokens = trials.some((one) => one.tokens === null)
      ? null
      : trials.reduce((sum, one) => sum + one.tokens, 0);
    expect(result.totals.generatedTokens).toBe(tokens === null ? null : Number(tokens.toPrecision(2)));
  }
  const open = await sql.vault`SELECT id FROM replays WHERE ended_at IS NULL AND lease_until > now()`;
  expect(open).toEqual([]);
}

async function expectLedger(finals: readonly string[], { sql }: Service): Promise<void> {
  for (const submission of finals) {
    const lines = await sql.public`
      SELECT account, act FROM ledger WHERE submission = ${submission} ORDER BY id`;
    expect(lines).toEqual([
      { account: 'finals', act: 'reserve' },
      { account: 'finals', act: 'spend' },
    ]);
  }
}

async function expectChains({ sql }: Service): Promise<void> {
  const feed = await sql.public`SELECT number::int AS number, jws, digest FROM feed ORDER BY number`;
  const taken = await sql.vault`SELECT number::int AS number, digest FROM feed_messages ORDER BY number`;
  expect(feed.map(({ number }) => number)).toEqual(feed.map((_, index) => index + 1));
  expect(feed.map(({ jws }) => sha256Hex(jws))).toEqual(feed.map(({ digest }) => digest));
  expect(taken).toEqual(feed.map(({ number, digest }) => ({ number, digest })));
  const leaves = await sql.public`SELECT index::int AS index FROM log_leaves ORDER BY index`;
  expect(leaves.map(({ index }) => index)).toEqual(leaves.map((_, index) => index));
}

async function expectReceipts(finals: readonly string[], { sql, url, until }: Service): Promise<void> {
  const [record] = await sql.public`SELECT text FROM log_leaves WHERE index = 0`;
  const rows = await sql.public`
    SELECT id FROM gradings WHERE published_at IS NOT NULL AND submission = ANY(${[...finals]})`;
  for (const { id } of rows) {
    const receipt = `${url}/api/v1/receipts/${id}`;
    await until('the receipt', async () => (await fetch(receipt)).status === 200);
    const verdict = await verifyReceipt(await (await fetch(receipt)).json(), record?.text);
    expect(verdict).toMatchObject({ ok: true });
  }
}
