import { z } from 'zod';
import { builtInColumns, type Season, seasonSchema } from './definition.ts';
import { slugSchema } from './fields.ts';

/** Where in the definition: keys and list indexes from the top. */
export type SeasonPath = readonly (string | number)[];

/** One thing wrong with a season definition, with the words that mend it. */
export interface SeasonProblem {
  readonly path: SeasonPath;
  readonly message: string;
}

/** A season that holds, or everything that is wrong with it. */
export type CheckedSeason =
  | { readonly ok: true; readonly season: Season }
  | { readonly ok: false; readonly problems: readonly SeasonProblem[] };

/**
 * Reads a season definition: shape, bounds, and what its parts say about each other.
 *
 * value    what the TOML says, as plain values (instants as RFC 3339 strings).
 * returns  the season, or every problem at once: a mistake in one part does not hide those in another.
 */
export function checkSeason(value: unknown): CheckedSeason {
  const parsed = seasonSchema.safeParse(value);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => shapeProblems(issue, value))),
    ...crossProblems(value),
  ];
  if (parsed.success && problems.length === 0) return { ok: true, season: parsed.data };
  return { ok: false, problems };
}

function shapeProblems(issue: z.core.$ZodIssue, value: unknown): SeasonProblem[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }));
  }
  const found = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  if (found === undefined) return [{ path, message: `is missing; ${wanted(issue)}` }];
  return [{ path, message: issue.code === 'invalid_type' ? wanted(issue) : issue.message }];
}

/** What to write there. zod's own words name types that TOML does not have, so those are replaced. */
function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type' || !issue.message.startsWith('Invalid input')) return issue.message;
  const names: Record<string, string> = {
    object: 'a table',
    record: 'a table',
    array: 'a list',
    int: 'a whole number',
  };
  return `must be ${names[issue.expected] ?? `a ${issue.expected}`}`;
}

const looseSchema = z.looseObject({
  edits: z.array(z.string()).catch([]),
  columns: z.array(z.unknown()).catch([]),
  tracks: z.array(z.unknown()).catch([]),
  rows: z.array(z.unknown()).catch([]),
  ablations: z.array(z.unknown()).catch([]),
  opensAt: z.iso.datetime().optional().catch(undefined),
  closesAt: z.iso.datetime().optional().catch(undefined),
});

const looseTrackSchema = z.looseObject({
  id: slugSchema.optional().catch(undefined),
  edits: z.array(z.string()).catch([]),
});

const looseScoresSchema = z.looseObject({ scoreTenths: z.record(z.string(), z.unknown()).catch({}) });

function crossProblems(value: unknown): SeasonProblem[] {
  const loose = looseSchema.safeParse(value);
  if (!loose.success) return [];
  const { edits, columns, opensAt, closesAt } = loose.data;
  const tracks = loose.data.tracks.map((track) => looseTrackSchema.safeParse(track).data ?? { edits: [] });
  const ids = tracks.flatMap((track) => (track.id === undefined ? [] : [track.id]));
  const problems: SeasonProblem[] = [];

  tracks.forEach((track, index) => {
    if (track.id !== undefined && tracks.findIndex((other) => other.id === track.id) < index) {
      problems.push({ path: ['tracks', index, 'id'], message: `"${track.id}" is taken by an earlier track` });
    }
    track.edits.forEach((edit, position) => {
      if (edits.length === 0 || edits.includes(edit)) return;
      const message = `"${edit}" is not among the season's edits (${edits.join(', ')})`;
      problems.push({ path: ['tracks', index, 'edits', position], message });
    });
  });

  const known = [...builtInColumns, ...ids];
  columns.forEach((column, index) => {
    if (typeof column !== 'string') return;
    if (columns.indexOf(column) < index) {
      problems.push({ path: ['columns', index], message: `"${column}" is there twice` });
    } else if (!known.includes(column)) {
      const message = `"${column}" is no column; known are ${known.join(', ')}`;
      problems.push({ path: ['columns', index], message });
    }
  });

  for (const list of ['rows', 'ablations'] as const) {
    loose.data[list].forEach((row, index) => {
      const scores = looseScoresSchema.safeParse(row).data?.scoreTenths ?? {};
      for (const trackId of Object.keys(scores).filter((id) => !ids.includes(id))) {
        const message = `"${trackId}" is no track; known are ${ids.join(', ')}`;
        problems.push({ path: [list, index, 'scoreTenths', trackId], message });
      }
    });
  }

  if (opensAt !== undefined && closesAt !== undefined && Date.parse(opensAt) >= Date.parse(closesAt)) {
    problems.push({ path: ['closesAt'], message: `must be after opensAt, ${opensAt}` });
  }
  return problems;
}
