import { expect, test } from 'vitest';
import { promptTrackFixture } from './season.fixture.ts';
import { settingsDigest } from './settingsDigest.ts';
import { trackSchema } from './track.ts';

function digestOf(change: Record<string, unknown>): string {
  return settingsDigest(trackSchema.parse({ ...promptTrackFixture(), ...change }));
}

const fixture = promptTrackFixture();
const original = digestOf({});

test.each([
  { trials: 5 },
  { metric: 'pass@k' },
  { temperature: 0.7 },
  { topP: 0.9 },
  { topK: 1 },
  { minP: 0.1 },
  { maxOutputTokens: 127 },
  { contextTokens: 1025 },
  { thinking: true },
])('another value of a setting is another digest: %j', (change) => {
  expect(digestOf({ settings: { ...fixture.settings, ...change } })).not.toBe(original);
});

test('another prompt, engine, concurrency, flag or base is another digest', () => {
  const digests = [
    original,
    digestOf({ prompt: { ...fixture.prompt, user: '{problem}' } }),
    digestOf({ engine: { ...fixture.engine, version: '2' } }),
    digestOf({ engine: { ...fixture.engine, concurrency: 5 } }),
    digestOf({ engine: { ...fixture.engine, flags: [] } }),
    ...(['facts', 'header', 'chatTemplate'] as const).map((name) =>
      digestOf({ base: { ...fixture.base, [name]: { ...fixture.base[name], sha256: 'ff'.repeat(32) } } }),
    ),
    digestOf({ base: { kind: 'preview' } }),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test('what does not change a replay does not change the digest', () => {
  const changed = digestOf({
    title: 'Another',
    budgetHours: 1,
    fidelity: 'Another note.',
    settingsChosenHere: [],
    splits: { ...fixture.splits, validation: { kind: 'preview', title: 'None' } },
    base: { ...fixture.base, facts: { ...fixture.base.facts, path: 'elsewhere/base.json' } },
  });
  expect(changed).toBe(original);
});

test('the digest does not depend on the order of keys', () => {
  const reversed = Object.fromEntries(Object.entries(fixture.settings).reverse());
  expect(digestOf({ settings: reversed })).toBe(original);
});
