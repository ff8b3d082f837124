import type { BoardRow, BoardTable } from './table.ts';

/** The table as text cells: what CSV carries. Unknown and missing are empty. */
export function exportedTable(table: BoardTable): { readonly header: string[]; readonly rows: string[][] } {
  const columns = [
    ...leading,
    ...table.columns.flatMap(({ key, kind }) => (kind === 'track' ? trackColumns(key) : builtIn[kind])),
  ];
  return {
    header: columns.map(([name]) => name),
    rows: table.rows.map((row) => columns.map(([, read]) => String(read(row) ?? ''))),
  };
}

type Column = readonly [name: string, read: (row: BoardRow) => string | number | boolean | null | undefined];

const leading: readonly Column[] = [
  ['rank', (row) => row.avg?.rank],
  ['rank low', (row) => row.avg?.rankRange?.low],
  ['rank high', (row) => row.avg?.rankRange?.high],
  ['not distinguishable from first', (row) => row.avg?.rankRange?.withFirst],
  ['kind', (row) => row.kind],
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['harness', (row) => row.harness],
  ['model', (row) => row.model],
  ['team', (row) => row.team],
  ['complete', (row) => row.complete],
];

const builtIn: Readonly<
  Record<'avg' | 'hours' | 'researchTokens' | 'replayTokens' | 'finalsUsed', readonly Column[]>
> = {
  avg: [
    ['avg', (row) => row.avg?.shown],
    ['avg exact', (row) => row.avg?.score?.exact],
    ['avg low', (row) => row.avg?.score?.interval?.low],
    ['avg high', (row) => row.avg?.score?.interval?.high],
  ],
  hours: [['hours', (row) => row.hours?.value]],
  researchTokens: [['research tokens', (row) => row.researchTokens]],
  replayTokens: [['replay tokens', (row) => row.replayTokens?.total]],
  finalsUsed: [['finals used', (row) => row.finalsUsed]],
};

function trackColumns(track: string): readonly Column[] {
  const replayed = (row: BoardRow) => {
    const cell = row.cells[track];
    return cell?.kind === 'replayed' ? cell : undefined;
  };
  const graded = (row: BoardRow) => {
    const cell = row.cells[track];
    return cell?.kind === 'replayed' || cell?.kind === 'unscored' ? cell : undefined;
  };
  const shown = (row: BoardRow) => {
    const cell = row.cells[track];
    return cell?.kind === 'replayed' ? cell.score.shown : cell?.kind === 'reported' ? cell.shown : undefined;
  };
  const note = (row: BoardRow) => {
    const cell = row.cells[track];
    if (cell?.kind === 'reported') return 'reported';
    return [
      cell?.kind === 'unscored' ? `unscored: ${cell.reason}` : [],
      graded(row)?.withdrawnAt ? 'withdrawn' : [],
    ]
      .flat()
      .join('; ');
  };
  return [
    [track, shown],
    [`${track} exact`, (row) => replayed(row)?.score.exact],
    [`${track} low`, (row) => replayed(row)?.score.interval?.low],
    [`${track} high`, (row) => replayed(row)?.score.interval?.high],
    [`${track} rank`, (row) => replayed(row)?.rank],
    [`${track} rank low`, (row) => replayed(row)?.rankRange?.low],
    [`${track} rank high`, (row) => replayed(row)?.rankRange?.high],
    [`${track} not distinguishable from first`, (row) => replayed(row)?.rankRange?.withFirst],
    [`${track} grading`, (row) => graded(row)?.grading],
    [`${track} note`, note],
  ];
}
