import { fileURLToPath } from 'node:url';
import type { Season } from '@vtb/protocol/season/definition.ts';
import { finalsClosed } from '@vtb/protocol/season/finalsClosed.ts';
import { metricLabel } from '@vtb/protocol/season/settings.ts';
import { beforeAll, expect, test } from 'vitest';
import { loadSeason } from '../load.ts';

let season: Season;

beforeAll(async () => {
  const loaded = await loadSeason(fileURLToPath(new URL('.', import.meta.url)));
  season = loaded.season;
});

/** The mean of five whole numbers, rounded half up, in whole numbers alone. */
function roundedMean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.floor((2 * sum + values.length) / (2 * values.length));
}

test('Avg. is the unweighted mean of the five tracks in every published row', () => {
  const trackIds = season.tracks.map(({ id }) => id);
  expect(trackIds).toHaveLength(5);
  expect(season.rows).toHaveLength(6);
  for (const row of season.rows) {
    expect(Object.keys(row.scoreTenths).sort()).toEqual([...trackIds].sort());
    const scores = trackIds.map((id) => row.scoreTenths[id] ?? Number.NaN);
    expect([row.name, row.avgTenths]).toEqual([row.name, roundedMean(scores)]);
  }
});

test('the rows are those of table 3', () => {
  const order = ['swe-bench-verified', 'terminal-bench-2-1', 'tau3-bench', 'toolathlon', 'aime-2026'];
  const shown = season.rows.map((row) => [
    row.kind,
    row.name,
    row.avgTenths,
    ...order.map((id) => row.scoreTenths[id]),
    row.hoursTenths,
  ]);
  expect(shown).toEqual([
    ['baseline', 'Initial system', 227, 329, 89, 203, 45, 467, undefined],
    ['baseline', 'Human-tuned baseline', 473, 554, 202, 641, 216, 750, undefined],
    ['reported', 'GPT-6-Astra + Codex', 371, 537, 135, 497, 79, 608, 859],
    ['reported', 'GPT-5.6-Sol + Codex', 310, 429, 89, 421, 102, 508, 640],
    ['reported', 'Kimi-K3 + Claude Code', 383, 517, 224, 521, 102, 550, 730],
    ['reported', 'GLM-5.2 + Claude Code', 314, 406, 101, 362, 68, 633, 569],
  ]);
  expect(season.columns.slice(0, 7)).toEqual(['avg', ...order, 'hours']);
});

test('the tracks have the harness, edits, budget, metric and secrecy of tables 2 and 6', () => {
  const shown = season.tracks.map((track) => [
    track.id,
    track.driver,
    track.initialHarness,
    track.edits.map((edit) => edit.charAt(0).toUpperCase()).join(''),
    track.budgetHours,
    metricLabel(track.settings),
    track.secrecy,
  ]);
  expect(shown).toEqual([
    ['swe-bench-verified', 'harbor', 'mini-SWE-agent', 'DTH', 24, 'mean', 'held-back'],
    ['terminal-bench-2-1', 'harbor', 'Terminus 2', 'DTH', 24, 'mean', 'public'],
    ['tau3-bench', 'package', "the benchmark's", 'DT', 16, 'mean', 'held-back'],
    ['toolathlon', 'harbor', "the benchmark's", 'DT', 16, 'pass@3', 'public'],
    ['aime-2026', 'prompt', 'none', 'DT', 16, 'avg@4', 'public'],
  ]);
});

test('the settings are those of table 6, and each that it does not state is marked as chosen here', () => {
  const stated = Object.fromEntries(
    season.tracks.map(({ id, settings, settingsChosenHere }) => {
      const { metric: _metric, ...numbers } = settings;
      const entries = Object.entries(numbers).filter(
        ([name]) => !(settingsChosenHere as readonly string[]).includes(name),
      );
      return [id, Object.fromEntries(entries)];
    }),
  );
  expect(stated).toEqual({
    'swe-bench-verified': { trials: 1, temperature: 1, contextTokens: 262_144, thinking: true },
    'terminal-bench-2-1': {
      trials: 1,
      temperature: 1,
      maxOutputTokens: 4_096,
      maxTurns: 200,
      contextTokens: 65_536,
      thinking: false,
    },
    'tau3-bench': { trials: 1, temperature: 0, maxTurns: 200, contextTokens: 262_144, thinking: false },
    toolathlon: {
      trials: 3,
      temperature: 1,
      maxOutputTokens: 8_192,
      maxTurns: 100,
      contextTokens: 262_144,
      thinking: false,
    },
    'aime-2026': { trials: 4, temperature: 0.6, maxOutputTokens: 16_384, maxTurns: 1, thinking: true },
  });
});

test('the splits have the names and the sizes that the source states', () => {
  const shown = season.tracks.map(({ splits }) =>
    [splits.validation, splits.test].map(({ title, size }) =>
      size === undefined ? title : `${title} (${size})`,
    ),
  );
  expect(shown).toEqual([
    ['A subset of SWE-bench Verified', 'The rest of SWE-bench Verified'],
    ['OpenThoughts-TBLite (100)', 'Terminal-Bench 2.1 (89)'],
    ['A subset of τ³-Bench', 'The rest of τ³-Bench'],
    ['ToolGym', 'Toolathlon'],
    ['AIME 2025 (30)', 'AIME 2026 (30)'],
  ]);
});

test('the ablation is that of table 4', () => {
  const shown = season.ablations.map(({ label, scoreTenths }) => [
    label,
    scoreTenths['swe-bench-verified'],
    scoreTenths['terminal-bench-2-1'],
  ]);
  expect(shown).toEqual([
    ['Initial system', 329, 89],
    ['Harness only', 380, 89],
    ['Data and trainer only', undefined, 135],
    ['Data, trainer and harness', 517, 224],
  ]);
});

test('the data resources are those of table 5', () => {
  expect(season.tracks.map(({ resources }) => resources.join(' '))).toEqual([
    'Orchard SWE-Dev-train Open-SWE-Traces SWE-rebench-openhands-trajectories',
    'TMAX-SFT-16.5K Recursive-Task-Synthesis-Trajectories TerminalTraj',
    'AReaL-tau2-data Nemotron-SFT-Agentic-v2 Simia-Tau-SFT-90k-Hermes',
    'DIVE-SFT-20K',
    'Nemotron-SFT-Math-v4 OpenR1-Math-220k OpenThoughts3-1.2M',
  ]);
});

test('every track is a preview that takes no finals, also while the season is open', () => {
  const now = Date.parse(season.opensAt);
  for (const track of season.tracks) expect(finalsClosed(season, track, now)).toMatch(/preview/);
  for (const track of season.tracks) {
    expect(finalsClosed({ ...season, status: 'open' }, track, now)).toMatch(/preview/);
  }
});
