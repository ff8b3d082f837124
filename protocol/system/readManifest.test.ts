import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../digest.ts';
import { type Manifest, type ManifestFile, manifestDigest, manifestSchema } from './manifest.ts';
import { problemsPerCodeMax } from './problemList.ts';
import { readManifest } from './readManifest.ts';

const sha256 = sha256Hex('x');
const mebibyte = 1024 * 1024;

function file(path: string, role: ManifestFile['role'], sizes: readonly number[]): ManifestFile {
  const size = sizes.reduce((sum, part) => sum + part, 0);
  return { path, role, size, chunks: sizes.map((part) => ({ sha256, size: part })) };
}

const good: Manifest = {
  schema: 1,
  track: 'swe-bench-verified',
  edits: ['data', 'harness'],
  files: [
    file('harness/empty', 'harness', []),
    file('harness/run.sh', 'harness', [10]),
    file('research.jsonl', 'researchLog', [3]),
    file('system.toml', 'description', [20]),
    file('weights/model.gguf', 'weights', [100, 16 * mebibyte, 7]),
  ],
};

function codesOf(value: unknown): string[] {
  const reading = readManifest(value);
  return reading.ok ? [] : reading.problems.map((problem) => problem.code);
}

function withFiles(...files: ManifestFile[]): Manifest {
  const all = [file('system.toml', 'description', [20]), ...files];
  return { ...good, files: all.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

test('a good manifest is read as it is, and its digest is that of its canonical JSON', () => {
  expect(readManifest(good)).toEqual({ ok: true, manifest: good });
  expect(manifestSchema.safeParse(good).success).toBe(true);
  const shuffled = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(good).reverse()))) as Manifest;
  expect(manifestDigest(shuffled)).toBe(manifestDigest(good));
  expect(manifestDigest({ ...good, edits: ['data'] })).not.toBe(manifestDigest(good));
});

test.each<[string, unknown, string]>([
  ['an unknown member', { ...good, extra: 1 }, 'manifest.shape'],
  ['another schema', { ...good, schema: 2 }, 'manifest.shape'],
  ['a track that is no id', { ...good, track: '../x' }, 'manifest.shape'],
  ['edits twice', { ...good, edits: ['data', 'data'] }, 'manifest.shape'],
  ['edits in another order', { ...good, edits: ['harness', 'data'] }, 'manifest.shape'],
  ['an unknown edit', { ...good, edits: ['weights'] }, 'manifest.shape'],
  ['no object', 'manifest', 'manifest.shape'],
  [
    'an upper-case digest',
    withFiles({
      ...file('weights/a', 'weights', [1]),
      chunks: [{ sha256: sha256.toUpperCase() as never, size: 1 }],
    }),
    'manifest.shape',
  ],
  ['an empty chunk', withFiles(file('weights/a', 'weights', [0])), 'manifest.shape'],
  ['a chunk over 16 MiB', withFiles(file('weights/a', 'weights', [16 * mebibyte + 1])), 'manifest.shape'],
  ['a fractional size', withFiles({ ...file('weights/a', 'weights', [1]), size: 1.5 }), 'manifest.shape'],
  [
    'a file over its bound',
    withFiles({ ...file('weights/a', 'weights', [1]), size: 2 ** 53 - 1 }),
    'manifest.shape',
  ],
  [
    'chunks that do not add up',
    withFiles({ ...file('weights/a', 'weights', [1]), size: 2 }),
    'manifest.chunks',
  ],
  ['a path that climbs out', withFiles(file('weights/../../x', 'weights', [1])), 'manifest.path'],
  [
    'paths that differ in case',
    withFiles(file('harness/A', 'harness', [1]), file('harness/a', 'harness', [1])),
    'manifest.collision',
  ],
  ['files out of order', { ...good, files: [...good.files].reverse() }, 'manifest.order'],
  [
    'a file twice',
    withFiles(file('harness/a', 'harness', [1]), file('harness/a', 'harness', [1])),
    'manifest.order',
  ],
  ['a role that is not the place’s', withFiles(file('harness/x', 'researchLog', [1])), 'manifest.role'],
  ['a file beside the known ones', withFiles(file('notes.md', 'description', [1])), 'manifest.role'],
  [
    'a huge description',
    { ...good, files: [file('system.toml', 'description', [65 * 1024])] },
    'manifest.limit',
  ],
  ['no description', { ...good, files: [file('weights/a', 'weights', [1])] }, 'system.description'],
])('%s is refused', (_, value, code) => {
  expect(codesOf(value)).toContain(code);
  if (typeof value === 'object') expect(manifestSchema.safeParse(value).success).toBe(false);
});

test('a role that no system has is refused', () => {
  const value = withFiles({ ...file('harness/x', 'harness', [1]), role: 'notes' as never });
  expect(codesOf(value)).toEqual(['manifest.shape']);
});

test('every problem is listed at once: of shape, and of the rules for files whose shape is right', () => {
  const value = {
    ...withFiles(file('harness/CON', 'harness', [1]), file('harness/x', 'weights', [1])),
    track: 7,
    extra: true,
  };
  expect(new Set(codesOf(value))).toEqual(new Set(['manifest.shape', 'manifest.path', 'manifest.role']));
});

test('counts over the bounds are refused with both numbers', () => {
  const many = Array.from({ length: 5_303 }, (_, index) => file(`harness/${index}`, 'harness', []));
  const reading = readManifest({ ...good, files: many });
  expect(reading.ok ? '' : reading.problems[0]?.message).toBe('files has 5,303 entries, more than 5,302');
  const chunks = [40_000, 30_000].map((count, index) =>
    file(`weights/${index}`, 'weights', Array(count).fill(1)),
  );
  const crowded = readManifest(withFiles(...chunks));
  expect(crowded.ok ? [] : crowded.problems.map((problem) => problem.message)).toEqual([
    'The system has 70,001 chunks, more than 65,536',
  ]);
});

test('a total over the bound is refused although each file is within its own', () => {
  const size = 200 * 1024 * mebibyte;
  const sizes = Array(size / (16 * mebibyte)).fill(16 * mebibyte);
  const reading = readManifest(
    withFiles(file('weights/a', 'weights', sizes), file('weights/b', 'weights', sizes)),
  );
  expect(reading.ok ? '' : reading.problems[0]?.message).toBe(
    'The system has 429,496,729,620 bytes, more than 274,877,906,944',
  );
});

test('a list of problems has a bound, and says how many it left out', () => {
  const bad = Array.from({ length: 500 }, (_, index) =>
    file(`other/${String(index).padStart(3, '0')}`, 'weights', []),
  );
  const reading = readManifest({ ...good, files: [...bad, file('system.toml', 'description', [1])] });
  const roles = reading.ok ? [] : reading.problems.filter((problem) => problem.code === 'manifest.role');
  expect(roles).toHaveLength(problemsPerCodeMax + 1);
  expect(roles.at(-1)?.message).toBe('and 400 more of this kind (100 are listed)');
});

test('any JSON value gives a manifest or problems, never an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), fc.jsonValue(), (value, index, inner) => {
      const files: unknown[] = [...good.files];
      files[index] = inner;
      for (const candidate of [value, { ...good, files }, { ...good, files: value }]) {
        const reading = readManifest(candidate);
        expect(reading.ok || reading.problems.length > 0).toBe(true);
      }
    }),
  );
});
