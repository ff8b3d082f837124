import type { BoardTable } from '@vtb/protocol/board/table.ts';

type Column = BoardTable['columns'][number];

/** A column's whole name, for lists; in the table's head a second line says the rest. */
export function columnTitle({ kind, title }: Column): string {
  return kind === 'avg' ? 'Average' : title;
}

/** A column's name in the table's head. */
export function columnHeading({ kind, title }: Column): string {
  return headings[kind] ?? title;
}

const headings: Readonly<Partial<Record<Column['kind'], string>>> = {
  researchTokens: 'Tokens',
  replayTokens: 'Tokens',
  finalsUsed: 'Finals',
};
