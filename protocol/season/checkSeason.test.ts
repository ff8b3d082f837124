import { expect, test } from 'vitest';
import { checkSeason } from './checkSeason.ts';
import { harborTrackFixture, promptTrackFixture, seasonFixture } from './season.fixture.ts';

type Fixture = ReturnType<typeof seasonFixture>;

function problems(change: (season: Fixture) => unknown): string[] {
  const checked = checkSeason(change(seasonFixture()));
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function inPromptTrack(change: Record<string, unknown>): string[] {
  return problems((season) => ({
    ...season,
    tracks: [{ ...promptTrackFixture(), ...change }, harborTrackFixture()],
  }));
}

function inSettings(change: Record<string, unknown>): string[] {
  return inPromptTrack({ settings: { ...promptTrackFixture().settings, ...change } });
}

test('a complete definition is read, and absent lists and the grace period get their defaults', () => {
  const { rows: _rows, ablations: _ablations, ...season } = seasonFixture();
  const checked = checkSeason(season);
  expect(checked).toMatchObject({ ok: true, season: { rows: [], ablations: [], uploadGraceHours: 12 } });
});

test('an unknown key is named, with the keys that are known there', () => {
  const [problem, ...others] = problems((season) => ({
    ...season,
    quotas: { ...season.quotas, finalMax: 3 },
  }));
  expect(problem).toBe(
    'quotas.finalMax: unknown here; known are failedTriesMax, finalsMax, validationTriesMax',
  );
  expect(others).toEqual([]);
});

test('an unknown key inside a track is one problem of that key, not of the whole track', () => {
  expect(inPromptTrack({ colour: 'red' })).toEqual([
    expect.stringMatching(/^tracks\.0\.colour: unknown here; known are aggregate, .*, weightsFormat$/),
  ]);
});

test('a missing key says what to add', () => {
  expect(problems(({ title: _title, ...season }) => season)).toEqual(['title: is missing; must be a string']);
  expect(problems(({ quotas: _quotas, ...season }) => season)).toEqual([
    'quotas: is missing; must be a table',
  ]);
});

test('mistakes in different parts are all reported at once, cross-checks included', () => {
  const found = problems((season) => ({
    ...season,
    status: 'soon',
    columns: ['avg', 'sum', 'hours', 'hours'],
    closesAt: '2025-01-01T00:00:00.000Z',
    tracks: [
      { ...promptTrackFixture(), budgetHours: 0 },
      { ...harborTrackFixture(), id: 'sums' },
    ],
    rows: [{ ...season.rows[0], scoreTenths: { sumz: 1 } }],
  }));
  expect(found).toEqual([
    'status: must be open or preview',
    'tracks.0.budgetHours: must be more than 0',
    'tracks.1.id: "sums" is taken by an earlier track',
    expect.stringMatching(/^columns\.1: "sum" is no column; known are avg, hours, .*, sums, sums$/),
    'columns.3: "hours" is there twice',
    'rows.0.scoreTenths.sumz: "sumz" is no track; known are sums, sums',
    'closesAt: must be after opensAt, 2026-01-01T00:00:00.000Z',
  ]);
});

test('a track may not open an edit that its season closes', () => {
  expect(problems((season) => ({ ...season, edits: ['data'] }))).toEqual([
    `tracks.0.edits.1: "trainer" is not among the season's edits (data)`,
    `tracks.1.edits.1: "trainer" is not among the season's edits (data)`,
    `tracks.1.edits.2: "harness" is not among the season's edits (data)`,
  ]);
});

test.each([
  [{ metric: 'mean' }, 'trials: mean is over one trial a task, not 4; use avg@k or pass@k'],
  [{ trials: 1 }, 'metric: avg@k needs at least 2 trials; with one trial use mean'],
  [{ maxOutputTokens: 2048 }, 'maxOutputTokens: 2048 is more than contextTokens, 1024'],
  [{ topP: 0 }, 'topP: must be more than 0'],
  [{ topK: 1.5 }, 'topK: must be a whole number'],
  [{ thinking: 'off' }, 'thinking: must be true or false'],
  [{ temperature: '0.6' }, 'temperature: must be a number'],
])('settings that contradict themselves are refused: %j', (change, problem) => {
  expect(inSettings(change)).toEqual([`tracks.0.settings.${problem}`]);
});

test('a prompt track has one turn and no harness', () => {
  expect(inSettings({ maxTurns: 5 })).toEqual([
    'tracks.0.settings.maxTurns: a prompt track has 1 turn a trial, not 5',
  ]);
  expect(inPromptTrack({ edits: ['data', 'harness'] })).toEqual([
    'tracks.0.edits: a prompt track runs no submitted harness; take "harness" out',
  ]);
});

test('a driver that is not known lists the known ones and hides no other problem of the season', () => {
  const found = problems((season) => ({
    ...season,
    year: 20,
    tracks: [{ ...promptTrackFixture(), driver: 'chat' }, harborTrackFixture()],
  }));
  expect(found).toEqual([
    'year: must be at least 2020',
    'tracks.0.driver: must be prompt, harbor or package',
  ]);
});

test('a secret track may not publish its test split', () => {
  const { splits } = promptTrackFixture();
  const test = { ...splits.validation, path: 'test.jsonl' };
  expect(inPromptTrack({ splits: { ...splits, test } })).toEqual([
    'tracks.0.splits.test.path: publishes the test split of a secret track; take it out',
  ]);
});

test('base facts are of the format that the track takes', () => {
  expect(inPromptTrack({ weightsFormat: 'safetensors' })).toEqual([
    'tracks.0.base.kind: is gguf while weightsFormat is safetensors',
  ]);
});

test.each(['../secret', '/etc/passwd', 'a//b', 'a/./b', '.hidden', 'a\\b', 'a/'])(
  'an asset path that leaves the folder or is not portable is refused: %s',
  (path) => {
    const found = problems((season) => ({ ...season, terms: { ...season.terms, path } }));
    expect(found).toEqual([expect.stringMatching(/^terms\.path: must be a relative path/)]);
  },
);

test('what is no table at all is one problem', () => {
  expect(problems(() => [])).toEqual([': must be a table']);
});
