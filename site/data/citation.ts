import type { TableView } from '@vtb/protocol/board/tableView.ts';
import { tableViewQuery } from '@vtb/protocol/board/tableView.ts';

/** What a citation of a board names. */
export interface Cited {
  readonly origin: string;
  readonly season: { readonly id: string; readonly title: string };
  readonly view: TableView;
  readonly asOf: Date;
  readonly logPosition: number;
}

/** The address of a view as it was at an instant: what it shows does not move when the board does. */
export function pinnedAddress({ origin, season, view, asOf }: Omit<Cited, 'logPosition'>): string {
  return `${origin}/seasons/${season.id}${tableViewQuery({ ...view, asOf })}`;
}

/** A BibTeX entry for a board as of an instant, with the position of the public log that proves it. */
export function bibTex(cited: Cited): string {
  const { season, asOf, logPosition } = cited;
  const day = asOf.toISOString().slice(0, 10);
  const month = asOf
    .toLocaleDateString('en-GB', { month: 'short', timeZone: 'UTC' })
    .slice(0, 3)
    .toLowerCase();
  return [
    `@misc{vtb-${season.id}-${day.replaceAll('-', '')},`,
    `  title        = {{${latexText(season.title)}: board of ${day}}},`,
    `  author       = {{VibeTraining-Bench}},`,
    `  year         = {${day.slice(0, 4)}},`,
    `  month        = ${month},`,
    `  howpublished = {\\url{${pinnedAddress(cited)}}},`,
    `  note         = {As of ${asOf.toISOString()}, log position ${logPosition}}`,
    '}',
    '',
  ].join('\n');
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

/** Text in which TeX finds nothing to run. */
function latexText(text: string): string {
  return text.replace(/[\\{}$&#_%~^]/g, (found) => special[found] ?? `\\${found}`);
}
