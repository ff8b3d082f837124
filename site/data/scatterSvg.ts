import { type ScaleLinear, scaleLinear } from 'd3-scale';
import type { Scatter, ScatterPoint } from './charts.ts';

const [width, height] = [640, 340];
const plot = { left: 44, right: 520, top: 14, bottom: 286 };
/** Where points of unknown amount stand, apart from the axis. */
const unknownLane = { left: 548, right: 628 };

/**
 * A chart of points as one SVG, with its title and description inside.
 *
 * isFile   it is looked at by itself: then it brings its own colours, for light and dark.
 * returns  text in which every name is escaped. The same chart gives the same text.
 */
export function scatterSvg(chart: Scatter, { isFile }: { readonly isFile: boolean }): string {
  const known = chart.points.flatMap(({ x }) => x ?? []);
  const x = scaleLinear()
    .domain(known.length === 0 ? [0, 1] : widened(Math.min(...known), Math.max(...known)))
    .range([plot.left, plot.right])
    .nice(5);
  const ys = [
    ...chart.points.flatMap(({ y, interval }) => [y, interval?.low ?? y, interval?.high ?? y]),
    ...chart.references.map((reference) => reference.y),
  ];
  const y = scaleLinear()
    .domain(ys.length === 0 ? [0, 100] : widened(Math.min(...ys), Math.max(...ys)))
    .range([plot.bottom, plot.top])
    .nice(5);
  const placed = chart.points.map((point, index) => ({ point, index, at: place(point, chart, x, y) }));
  const hasUnknown = known.length < chart.points.length;
  const id = `chart-${chart.key}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-about">`,
    isFile ? `<style>${fileStyle}</style><rect class="paper" width="${width}" height="${height}"/>` : '',
    `<title id="${id}-title">${text(chart.title)}</title><desc id="${id}-about">${text(chart.description)}</desc>`,
    ...axis(chart, x, y),
    ...chart.references.map(
      (reference) =>
        `<line class="chart-reference" x1="${plot.left}" x2="${plot.right}" y1="${at(y(reference.y))}" y2="${at(y(reference.y))}"/><text class="chart-small" x="${plot.left + 6}" y="${at(y(reference.y) - 5)}">${text(shortName(reference.name))}</text>`,
    ),
    hasUnknown
      ? `<rect class="chart-lane" x="${unknownLane.left}" y="${plot.top}" width="${unknownLane.right - unknownLane.left}" height="${plot.bottom - plot.top}" rx="4"/><text class="chart-small" text-anchor="middle" x="${(unknownLane.left + unknownLane.right) / 2}" y="${plot.bottom + 18}">unknown</text>`
      : '',
    ...placed.map(({ point, at: spot }) => mark(point, spot, y)),
    ...labels(placed),
    '</svg>',
  ].join('');
}

/** The numbers of a chart as CSV; unknown is empty. Names that a spreadsheet would run are led by an apostrophe. */
export function scatterCsv({ points }: Scatter): string {
  const cell = (value: string) => {
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = points.map(({ name, x, y, interval, isReplayed }) =>
    [
      cell(name),
      x ?? '',
      y,
      interval?.low ?? '',
      interval?.high ?? '',
      isReplayed ? 'replayed' : 'reported',
    ].join(','),
  );
  return ['name,amount,score,low,high,source', ...rows].map((line) => `${line}\r\n`).join('');
}

type Scale = ScaleLinear<number, number>;
interface Spot {
  readonly x: number;
  readonly y: number;
}

function axis(chart: Scatter, x: Scale, y: Scale): string[] {
  return [
    ...y
      .ticks(5)
      .map(
        (tick) =>
          `<line class="chart-grid" x1="${plot.left}" x2="${plot.right}" y1="${at(y(tick))}" y2="${at(y(tick))}"/><text class="chart-small" text-anchor="end" x="${plot.left - 8}" y="${at(y(tick) + 4)}">${tick}</text>`,
      ),
    ...x
      .ticks(5)
      .map(
        (tick) =>
          `<text class="chart-small" text-anchor="middle" x="${at(x(tick))}" y="${plot.bottom + 18}">${text(chart.xText(tick))}</text>`,
      ),
    `<text class="chart-small" x="${plot.left}" y="${height - 10}">${text(chart.xTitle)}</text>`,
  ];
}

function place(point: ScatterPoint, chart: Scatter, x: Scale, y: Scale): Spot {
  if (point.x !== null) return { x: x(point.x), y: y(point.y) };
  const unknown = chart.points.filter((one) => one.x === null);
  const share = (unknown.indexOf(point) + 0.5) / unknown.length;
  return { x: unknownLane.left + 8 + share * (unknownLane.right - unknownLane.left - 16), y: y(point.y) };
}

function mark(point: ScatterPoint, spot: Spot, y: Scale): string {
  const range = point.interval
    ? `<line class="chart-range" x1="${at(spot.x)}" x2="${at(spot.x)}" y1="${at(y(point.interval.low))}" y2="${at(y(point.interval.high))}"/>`
    : '';
  const kind = `chart-point${point.x === null ? ' is-open' : ''}${point.isReplayed ? '' : ' is-reported'}`;
  const about = `<title>${text(`${point.name}: ${point.yShown} %, ${point.xShown}`)}</title>`;
  const shape = point.isReplayed
    ? `<circle class="${kind}" cx="${at(spot.x)}" cy="${at(spot.y)}" r="4.5">${about}</circle>`
    : `<rect class="${kind}" x="${at(spot.x - 4)}" y="${at(spot.y - 4)}" width="8" height="8">${about}</rect>`;
  return range + shape;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Names beside their points, highest scores first; one that would cover a name or a point is left to the table. */
function labels(placed: readonly { readonly point: ScatterPoint; readonly at: Spot }[]): string[] {
  const taken: Box[] = placed.map(({ at: { x, y } }) => ({
    left: x - 5,
    right: x + 5,
    top: y - 5,
    bottom: y + 5,
  }));
  return [...placed]
    .sort((a, b) => b.point.y - a.point.y)
    .flatMap(({ point, at: spot }) => {
      if (point.x === null) return [];
      const name = shortName(point.name);
      const size = [...name].length * 6.8;
      const free = [
        { from: spot.x + 9, y: spot.y, anchor: 'start' },
        { from: spot.x - 9 - size, y: spot.y, anchor: 'end' },
        { from: spot.x - size / 2, y: spot.y - 15, anchor: 'middle' },
        { from: spot.x - size / 2, y: spot.y + 15, anchor: 'middle' },
      ].find(({ from, y }) => {
        const box = { left: from, right: from + size, top: y - 7, bottom: y + 7 };
        if (box.left < plot.left || box.right > plot.right || box.top < 0) return false;
        if (taken.some((other) => overlap(box, other))) return false;
        taken.push(box);
        return true;
      });
      if (free === undefined) return [];
      const x = { start: free.from, end: free.from + size, middle: free.from + size / 2 }[free.anchor];
      return [
        `<text class="chart-name" text-anchor="${free.anchor}" x="${at(x ?? free.from)}" y="${at(free.y + 4)}">${text(name)}</text>`,
      ];
    });
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function widened(low: number, high: number): [number, number] {
  const room = Math.max((high - low) * 0.06, Math.abs(high) * 0.02, 0.5);
  return [Math.max(0, low - room), high + room];
}

function shortName(name: string): string {
  const characters = [...name];
  return characters.length <= 28 ? name : `${characters.slice(0, 27).join('')}…`;
}

function at(value: number): string {
  return value.toFixed(1);
}

/** Text for markup; marks that turn the direction of what follows are taken out. */
function text(value: string): string {
  return value
    .replace(/[\u202a-\u202e\u2066-\u2069\p{Cc}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const fileStyle =
  'svg{color-scheme:light dark;font:12px ui-sans-serif,system-ui,sans-serif}.paper{fill:light-dark(#fcfcfa,#14161a)}.chart-grid{stroke:light-dark(#ebebe5,#23272d)}.chart-reference{stroke:light-dark(#b4863a,#c9a15c);stroke-dasharray:3 4}.chart-small{font-size:11.5px;fill:light-dark(#585e6a,#9aa1ad)}.chart-name{font-size:12.5px;fill:light-dark(#16181d,#e9e9e6)}.chart-range{stroke:light-dark(#a9c6ef,#31598f);stroke-width:3;stroke-linecap:round}.chart-point{fill:light-dark(#1f5fbf,#7db1ff)}.chart-point.is-reported{fill:light-dark(#585e6a,#9aa1ad)}.chart-point.is-open{fill:light-dark(#fcfcfa,#14161a);stroke:light-dark(#1f5fbf,#7db1ff);stroke-width:1.6}.chart-point.is-open.is-reported{stroke:light-dark(#585e6a,#9aa1ad)}.chart-lane{fill:light-dark(#ebebe5,#23272d);opacity:.5}';
