import type { Failure } from './failure.ts';
import { plainJson, plainText } from './plainText.ts';

/** Where output goes: with `json` one document on stdout and nothing else; progress and prose always on stderr. */
export interface Console {
  readonly json: boolean;
  /** Whether stderr is a terminal: only then are there bars. */
  readonly live: boolean;
  /** The command's result: `document` for --json, `text` for people. Called once. */
  readonly result: (document: unknown, text: string) => void;
  /** One line of progress or prose. */
  readonly note: (text: string) => void;
  /** A line that replaces itself on a terminal, and is not shown elsewhere. */
  readonly bar: (text: string) => void;
  readonly fail: (failure: Failure) => void;
}

/** The console of this process. */
export function openConsole(options: { readonly json: boolean }): Console {
  const live = process.stderr.isTTY === true;
  let barShown = false;
  const clearBar = () => {
    if (barShown) process.stderr.write('\r\u001b[K');
    barShown = false;
  };
  return {
    json: options.json,
    live,
    result: (document, text) => {
      clearBar();
      process.stdout.write(`${options.json ? plainJson(document) : plainText(text)}\n`);
    },
    note: (text) => {
      clearBar();
      process.stderr.write(`${plainText(text)}\n`);
    },
    bar: (text) => {
      if (!live) return;
      process.stderr.write(`\r\u001b[K${plainText(text)}`);
      barShown = true;
    },
    fail: (failure) => {
      clearBar();
      if (options.json) {
        const { kind, code, message, problems } = failure;
        process.stdout.write(`${plainJson({ error: { kind, code, detail: message, problems } })}\n`);
        return;
      }
      process.stderr.write(`${plainText(failure.message)}\n`);
      for (const { at, message, fix } of failure.problems) {
        process.stderr.write(
          plainText(
            `  ${at === '' ? '' : `${at}: `}${message}${fix === undefined ? '' : `\n    → ${fix}`}\n`,
          ),
        );
      }
    },
  };
}

/** Rows under a header as aligned text; the last column is not padded. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map((cell) => plainText(cell).replaceAll('\n', '\\u{a}')));
  const widths = header.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - [...cell].length),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
