import { checkSeason } from '../season/checkSeason.ts';
import type { Season } from '../season/definition.ts';

/** A small season for tests of boards: these tracks, in this order, and rows that others measured. */
export function exampleSeason(tracks: readonly string[], rows: readonly unknown[] = []): Season {
  const checked = checkSeason({
    schema: 1,
    id: 'example',
    title: 'Example',
    tagline: 'An example',
    description: 'A season for tests',
    year: 2026,
    status: 'open',
    opensAt: '2026-01-01T00:00:00Z',
    closesAt: '2100-01-01T00:00:00Z',
    edits: ['data', 'trainer'],
    baseModel: { name: 'base', license: 'Apache-2.0' },
    releaseGridSeconds: 10,
    creditsWaiting: false,
    openQueue: false,
    quotas: { finalsMax: 3, failedTriesMax: 3, validationTriesMax: 10 },
    columns: ['avg', ...tracks, 'hours', 'replayTokens', 'finalsUsed'],
    terms: { path: 'terms.md', sha256: digest('1') },
    safeguards: {
      trajectoryFeedback: true,
      iterativeRevision: true,
      data: true,
      trainer: true,
      harness: false,
      jointCoDesign: false,
      devTestIsolation: true,
      trainEvalIsolation: true,
    },
    tracks: tracks.map(exampleTrack),
    rows,
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.season;
}

function exampleTrack(id: string) {
  return {
    id,
    title: id,
    shortTitle: id,
    description: 'A track for tests',
    driver: 'prompt',
    edits: ['data', 'trainer'],
    initialHarness: 'none',
    weightsFormat: 'gguf',
    base: {
      kind: 'gguf',
      facts: { path: 'base.json', sha256: digest('2') },
      header: { path: 'base.gguf', sha256: digest('3') },
      chatTemplate: { path: 'template.jinja', sha256: digest('4') },
    },
    budgetHours: 24,
    nominalMinutesPerTrial: 1,
    settings: {
      trials: 4,
      metric: 'avg@k',
      temperature: 0.6,
      topP: 1,
      topK: 0,
      minP: 0,
      maxOutputTokens: 128,
      maxTurns: 1,
      contextTokens: 1024,
      thinking: false,
    },
    settingsChosenHere: [],
    engine: { name: 'llama.cpp', version: '1', concurrency: 1, flags: [] },
    secrecy: 'secret',
    aggregate: 'mean-of-tasks',
    fidelity: 'none',
    resources: [],
    prompt: { user: '{problem}', answer: 'boxed-integer' },
    splits: {
      validation: { kind: 'fixed', title: 'validation', digest: digest('5'), size: 10 },
      test: { kind: 'fixed', title: 'test', digest: digest('6'), size: 10 },
    },
  };
}

function digest(character: string): string {
  return character.repeat(64);
}
