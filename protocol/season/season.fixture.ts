/** A season as its TOML would say it, for tests: every required key, nothing more. Fresh at each call. */
export function seasonFixture() {
  const sha256 = 'ab'.repeat(32);
  return {
    schema: 1,
    id: 'small',
    title: 'Small',
    tagline: 'A season for tests.',
    description: 'One prompt track and one with a harness.',
    year: 2026,
    status: 'open',
    opensAt: '2026-01-01T00:00:00.000Z',
    closesAt: '2027-01-01T00:00:00.000Z',
    edits: ['data', 'trainer', 'harness'],
    baseModel: { name: 'base', license: 'Apache-2.0' },
    releaseGridSeconds: 60,
    creditsWaiting: true,
    openQueue: true,
    quotas: { finalsMax: 2, failedTriesMax: 3, validationTriesMax: 4 },
    columns: ['avg', 'sums', 'repairs', 'hours'],
    terms: { path: 'terms.md', sha256 },
    safeguards: {
      trajectoryFeedback: true,
      iterativeRevision: true,
      data: true,
      trainer: true,
      harness: true,
      jointCoDesign: true,
      devTestIsolation: true,
      trainEvalIsolation: true,
    },
    tracks: [promptTrackFixture(), harborTrackFixture()],
    rows: [
      { kind: 'baseline', name: 'Start', weights: 'base', scoreTenths: { sums: 400 }, source: 'table 1' },
    ],
    ablations: [{ agent: 'A', label: 'data only', scoreTenths: { sums: 410 }, source: 'table 2' }],
  };
}

/** The prompt track of the season for tests. */
export function promptTrackFixture() {
  const asset = (path: string, byte: string) => ({ path, sha256: byte.repeat(32) });
  return {
    ...commonFixture('sums'),
    driver: 'prompt',
    weightsFormat: 'gguf',
    edits: ['data', 'trainer'],
    prompt: { user: '{problem}\nAnswer in \\boxed{}.', answer: 'boxed-integer' },
    base: {
      kind: 'gguf',
      facts: asset('base.json', '01'),
      header: asset('base.header', '02'),
      chatTemplate: asset('chat.jinja', '03'),
    },
    splits: {
      validation: { kind: 'fixed', title: 'Some', digest: 'cd'.repeat(32), size: 10 },
      test: {
        kind: 'generated',
        title: 'Others',
        generator: 'wordmath',
        size: 20,
        exclude: asset('public.sha256', '04'),
      },
    },
  };
}

/** The track with an editable harness of the season for tests: a preview. */
export function harborTrackFixture() {
  return {
    ...commonFixture('repairs'),
    driver: 'harbor',
    weightsFormat: 'safetensors',
    edits: ['data', 'trainer', 'harness'],
    settings: { ...commonFixture('repairs').settings, maxTurns: 50 },
    base: { kind: 'preview' },
    splits: {
      validation: { kind: 'preview', title: 'Some' },
      test: { kind: 'preview', title: 'Others', size: 89 },
    },
  };
}

function commonFixture(id: string) {
  return {
    id,
    title: id,
    shortTitle: id,
    description: `The track ${id}.`,
    initialHarness: 'none',
    budgetHours: 16,
    nominalMinutesPerTrial: 0.5,
    settingsChosenHere: ['topP'],
    secrecy: 'secret',
    aggregate: 'mean-of-tasks',
    fidelity: 'None to be faithful to.',
    resources: ['Some-Data-1K'],
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
    engine: { name: 'llama.cpp', version: '1', concurrency: 4, flags: ['threads=1'] },
  };
}
