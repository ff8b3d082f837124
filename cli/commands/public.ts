import { readFile } from 'node:fs/promises';
import { rankRangeText } from '@vtb/protocol/board/rankRangeText.ts';
import { type BoardRow, type BoardTable, boardTableSchema } from '@vtb/protocol/board/table.ts';
import { verifyReceipt } from '@vtb/protocol/messages/verifyReceipt.ts';
import type { Command } from 'commander';
import { textTable } from '../console.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { resultText } from '../resultText.ts';

interface BoardOptions {
  readonly season: string;
  readonly asOf?: string;
  readonly format: string;
}

/** `board`, `verify`: what anyone may read and check. */
export function publicCommands(program: Command, context: Context): void {
  program
    .command('board')
    .description("a season's board")
    .option('--season <id>', 'the season', 'pocket')
    .option('--as-of <instant>', 'as it was then, RFC 3339')
    .option('--format <format>', 'table, json, csv or md', 'table')
    .action((options: BoardOptions) => board(options, context));
  program
    .command('verify <receipt>')
    .description('check a receipt (a file, a URL, or - for standard input): signatures, inclusion, agreement')
    .option(
      '--trust <file>',
      'the season record you already trust (vtb keys show), so that nothing has to be believed',
    )
    .action((receipt: string, options: { trust?: string }) =>
      verify(receipt, options.trust ?? null, context),
    );
}

async function board(options: BoardOptions, context: Context): Promise<void> {
  const client = await context.visitor();
  const asOf = options.asOf === undefined ? '' : `&asOf=${encodeURIComponent(options.asOf)}`;
  const path = `/seasons/${encodeURIComponent(options.season)}/board`;
  if (options.format === 'csv' || options.format === 'md') {
    const text = await client.text(
      `${path}?format=${options.format}${asOf}`,
      options.format === 'csv' ? 'text/csv' : 'text/markdown',
    );
    return context.console.result({ format: options.format, text }, text.trimEnd());
  }
  if (options.format !== 'table' && options.format !== 'json')
    throw new Failure('usage', 'board.format', `--format is table, json, csv or md, not ${options.format}`);
  const table = await client.get(`${path}?format=json${asOf}`, boardTableSchema);
  context.console.result(
    table,
    options.format === 'json' ? JSON.stringify(table, null, 2) : boardText(table),
  );
}

function boardText(table: BoardTable): string {
  const header = ['rank', 'research agent', ...table.columns.map(({ title }) => title)];
  const rows = table.rows.map((row) => [
    rankText(row.avg),
    `${row.name}${row.harness === null ? '' : ` + ${row.harness}`}${row.kind === 'entry' ? '' : ` (${row.kind})`}`,
    ...table.columns.map(({ key, kind }) => {
      const cell = row.cells[key];
      if (kind === 'avg') return row.avg?.shown ?? '–';
      if (kind === 'hours') return row.hours?.shown ?? '–';
      if (kind === 'researchTokens') return row.researchTokens?.toLocaleString('en-GB') ?? '–';
      if (kind === 'replayTokens') return row.replayTokens?.total.toLocaleString('en-GB') ?? '–';
      if (kind === 'finalsUsed') return row.finalsUsed === null ? '–' : String(row.finalsUsed);
      if (cell?.kind === 'replayed') {
        const interval =
          cell.score.interval === null
            ? ''
            : ` (${(100 * cell.score.interval.low).toFixed(1)}–${(100 * cell.score.interval.high).toFixed(1)})`;
        const range = rankRangeText(cell.rankRange);
        return `${cell.score.shown}${interval}${range === '' ? '' : ` #${range}`}`;
      }
      return cell?.kind === 'reported' ? cell.shown : cell?.kind === 'unscored' ? 'no score' : '–';
    }),
  ]);
  return `${table.title}, as of ${table.asOf}\n${textTable(header, rows)}`;
}

/** "2= (1–3)": the rank, whether it is shared, and the ranks that the row could have. */
function rankText(avg: BoardRow['avg']): string {
  if (avg === null || avg.rank === null) return '';
  const range = rankRangeText(avg.rankRange);
  return `${avg.rank}${avg.tied ? '=' : ''}${range === '' ? '' : ` (${range})`}`;
}

async function verify(receipt: string, trustFile: string | null, context: Context): Promise<void> {
  const text = await receiptText(receipt);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Failure('refused', 'receipt.json', `${receipt} is not JSON`);
  }
  const trust =
    trustFile === null
      ? null
      : (await readFile(trustFile, 'utf8').catch(() => fileMissing(trustFile))).trim();
  const verdict = await verifyReceipt(json, trust);
  if (!verdict.ok)
    throw new Failure('refused', 'receipt.refused', `${receipt} does not hold`, verdict.problems);
  const { report, record, publication, head } = verdict;
  const keys =
    trust === null
      ? 'Signed by the keys that the receipt itself names: compare them with a record you trust (--trust).'
      : 'Signed by the keys of the record you trust.';
  context.console.result(
    {
      ok: true,
      trusted: trust !== null,
      season: record.season,
      track: report.track,
      submission: report.submission,
      grading: report.grading,
      gradingNumber: report.gradingNumber,
      system: report.system,
      split: report.split,
      result: report.result,
      publishedAt: publication.at,
      log: { size: head.size, root: head.root },
    },
    `The receipt holds. ${record.season} / ${report.track}, grading ${report.gradingNumber} of ${report.submission}\n${resultText(report.result)}\nsystem ${report.system}\nsplit  ${report.split}\npublished ${publication.at}, in a log of ${head.size} leaves that gateway and grader both signed\n${keys}`,
  );
}

async function receiptText(receipt: string): Promise<string> {
  if (/^https?:\/\//.test(receipt)) {
    const response = await fetch(receipt, { signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
      throw new Failure(
        'unreachable',
        'receipt.unreachable',
        `${receipt} can't be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
    });
    if (!response.ok)
      throw new Failure('refused', `http.${response.status}`, `${receipt} answered ${response.status}`);
    return response.text();
  }
  if (receipt === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  return readFile(receipt, 'utf8').catch(() => fileMissing(receipt));
}

function fileMissing(file: string): never {
  throw new Failure('usage', 'file.missing', `${file} can't be read`);
}
