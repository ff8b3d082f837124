import { expect, test } from 'vitest';
import { sha256Hex } from '../digest.ts';
import { inspectPlan } from './inspectPlan.ts';
import type { Manifest } from './manifest.ts';
import type { TrackRules } from './trackRules.ts';

const closed: TrackRules = { track: 'words', edits: ['data', 'trainer'], weightsFormat: 'gguf', base: null };
const open: TrackRules = { ...closed, edits: ['data', 'trainer', 'harness'] };

function plan(
  edits: Manifest['edits'],
  harness: Readonly<Record<string, number>>,
  track = 'words',
): Manifest {
  const files = Object.entries(harness).map(([name, size]) => {
    const count = Math.ceil(size / 16_777_216);
    const chunks = Array.from({ length: count }, () => ({
      sha256: sha256Hex('x'),
      size: Math.ceil(size / count),
    }));
    return { path: `harness/${name}`, role: 'harness' as const, size, chunks };
  });
  return { schema: 1, track, edits, files };
}

const codes = (manifest: Manifest, rules: TrackRules) =>
  inspectPlan({ manifest, rules }).map(({ code }) => code);

test('a harness with run.sh is accepted where it may be edited and is declared', () => {
  expect(codes(plan(['harness'], { 'run.sh': 10, 'src/agent.py': 100 }), open)).toEqual([]);
  expect(codes(plan(['data'], {}), open)).toEqual([]);
  expect(codes(plan([], {}), closed)).toEqual([]);
});

test.each<[string, Manifest, TrackRules, string[]]>([
  ['another track', plan([], {}, 'other'), closed, ['system.track']],
  ['an edit that is closed', plan(['harness'], {}), closed, ['system.edits']],
  ['a harness where it is closed', plan([], { 'run.sh': 1 }), closed, ['harness.notEditable']],
  ['a harness that is not declared', plan(['data'], { 'run.sh': 1 }), open, ['harness.notDeclared']],
  ['a declared harness without files', plan(['harness'], {}), open, ['harness.missing']],
  ['no run.sh at the root', plan(['harness'], { 'src/run.sh': 1 }), open, ['harness.runMissing']],
  ['an empty run.sh', plan(['harness'], { 'run.sh': 0 }), open, ['harness.runMissing']],
  ['over 64 MiB', plan(['harness'], { 'run.sh': 1, blob: 64 * 1024 * 1024 }), open, ['harness.limit']],
])('%s is refused', (_, manifest, rules, expected) => {
  expect(codes(manifest, rules)).toEqual(expected);
});

test('5,000 harness files are accepted and one more is refused with both numbers', () => {
  const files = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [index === 0 ? 'run.sh' : `f${index}`, 1]),
    );
  expect(codes(plan(['harness'], files(5_000)), open)).toEqual([]);
  const [problem] = inspectPlan({ manifest: plan(['harness'], files(5_001)), rules: open });
  expect(problem?.message).toBe('harness/ has 5,001 files, more than 5,000');
});

test('all of it is said at once', () => {
  expect(codes(plan(['harness'], { x: 70 * 1024 * 1024 }, 'other'), closed)).toEqual([
    'system.track',
    'system.edits',
    'harness.notEditable',
    'harness.limit',
    'harness.runMissing',
  ]);
});
