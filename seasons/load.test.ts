import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSeason, loadSeasons } from './load.ts';
import { type FileProblem, SeasonError } from './seasonError.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
let root = '';
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'vtb-seasons-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** A copy of the pocket season with its files changed: text by text, each of which must be there. */
async function copy(changes: Record<string, readonly (readonly [string, string])[]>): Promise<string> {
  count += 1;
  const dir = join(root, String(count), 'pocket');
  await cp(join(here, 'pocket'), dir, {
    recursive: true,
    filter: (path) => !path.includes('systems') && !path.endsWith('.ts'),
  });
  for (const [name, edits] of Object.entries(changes)) {
    let text = await readFile(join(dir, name), 'utf8');
    for (const [from, to] of edits) {
      if (!text.includes(from)) throw new Error(`${name} has no ${JSON.stringify(from)}`);
      text = text.replace(from, () => to);
    }
    await writeFile(join(dir, name), text);
  }
  return dir;
}

async function problemsOf(load: () => Promise<unknown>): Promise<readonly FileProblem[]> {
  try {
    await load();
  } catch (error) {
    if (error instanceof SeasonError) return error.problems;
    throw error;
  }
  return [];
}

/** Problems with the text of the line each points at, so that a wrong line shows. */
async function pointed(problems: readonly FileProblem[]) {
  const shown: [string, string][] = [];
  for (const { file, line, message } of problems) {
    shown.push([(await readFile(file, 'utf8')).split('\n')[line - 1] ?? '', message]);
  }
  return shown;
}

test('both seasons of the project load, with every file they name', async () => {
  const seasons = await loadSeasons(here, ['vibetraining-bench', 'pocket']);
  expect(seasons.map(({ season }) => season.id)).toEqual(['vibetraining-bench', 'pocket']);
  for (const { dir, digest, assets } of seasons) {
    expect(digest).toBe(sha256Hex(await readFile(join(dir, 'season.toml'))));
    for (const [path, { bytes, sha256 }] of assets) {
      expect(sha256).toBe(sha256Hex(bytes));
      expect(Buffer.compare(bytes, await readFile(join(dir, path)))).toBe(0);
    }
  }
});

test('a season with many mistakes is refused with each of them, at its line', async () => {
  const dir = await copy({
    'season.toml': [
      ['status = "open"', 'status = "running"'],
      ['"hours", ', '"hourz", '],
      ['finalsMax = 100', 'finalsMax = 0'],
      ['failedTriesMax = 100\n', ''],
      ['topP = 1\n', 'topP = 1\ntopp = 0.9\n'],
      ['contextTokens = 1024', 'contextTokens = 100'],
      ['{problem}\n', 'Solve this.\n'],
    ],
  });
  const problems = await problemsOf(() => loadSeason(dir));
  expect(await pointed(problems)).toEqual([
    ['status = "running"', 'status: must be open or preview'],
    [
      expect.stringContaining('"hourz"'),
      'columns[2]: "hourz" is no column; known are avg, hours, researchTokens, replayTokens, finalsUsed, wordmath',
    ],
    ['[quotas]', 'quotas.failedTriesMax: is missing; must be a whole number'],
    ['finalsMax = 0', 'quotas.finalsMax: must be at least 1'],
    ['topp = 0.9', expect.stringMatching(/^tracks\[0\]\.settings\.topp: unknown here; known are .*topP/)],
    ['maxOutputTokens = 128', 'tracks[0].settings.maxOutputTokens: 128 is more than contextTokens, 100'],
    ["user = '''", 'tracks[0].prompt.user: must contain {problem} exactly once'],
  ]);
  const text = new SeasonError(problems).message.split('\n');
  expect(text[0]).toBe('Season files have 7 problems:');
  expect(text[1]).toMatch(/pocket\/season\.toml:\d+:1: status: must be open or preview$/);
});

test('a file that is not TOML is refused with the place', async () => {
  const dir = await copy({ 'season.toml': [['year = 2026', 'year = = 2026']] });
  const problems = await problemsOf(() => loadSeason(dir));
  expect(await pointed(problems)).toEqual([['year = = 2026', 'is not TOML: Unexpected token']]);
  expect(problems[0]?.column).toBe(8);
});

test('bytes that are not UTF-8 are refused', async () => {
  const dir = await copy({});
  await writeFile(join(dir, 'season.toml'), Buffer.from([0x61, 0xff, 0x0a]));
  expect(await problemsOf(() => loadSeason(dir))).toMatchObject([{ message: 'is not UTF-8' }]);
});

test('a file that is missing or has other bytes than the TOML says is refused, with the digest to write', async () => {
  const dir = await copy({ 'terms.md': [['Version 1', 'Version 2']] });
  await rm(join(dir, 'wordmath/public.sha256'));
  const problems = await problemsOf(() => loadSeason(dir));
  const digest = sha256Hex(await readFile(join(dir, 'terms.md')));
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(new RegExp(`^terms.sha256: is [0-9a-f]{64}, but terms.md has ${digest}; write`)),
    "tracks[0].splits.test.exclude.path: wordmath/public.sha256 is not a file in the season's folder; add it there",
  ]);
});

test('a validation split with other tasks than its digest names is refused', async () => {
  const dir = await copy({ 'wordmath/validation.jsonl': [['"answer": 427', '"answer": 428']] });
  expect(await problemsOf(() => loadSeason(dir))).toMatchObject([
    { message: expect.stringMatching(/^tracks\[0\]\.splits\.validation\.digest: is .*; write that here$/) },
  ]);
});

test('broken tasks are refused by file and line, all at once', async () => {
  const dir = await copy({
    'wordmath/validation.jsonl': [
      ['"answer": 427}', '"answer": "427"}'],
      ['"val-00002"', '"val-00001"'],
      ['{"id": "val-00004"', '{"kind": "add", "id": "val-00004"'],
      ['"answer": 818}', '"answer": 818'],
    ],
  });
  const problems = await problemsOf(() => loadSeason(dir));
  expect(
    problems.map(({ file, line, message }) => [file.endsWith('validation.jsonl'), line, message]),
  ).toEqual([
    [true, 1, 'answer: must be a whole number'],
    [true, 3, 'id: is the same as in line 2; make it another'],
    [true, 5, 'kind: unknown here; known are answer, id, problem'],
    [true, 6, expect.stringMatching(/^line: /)],
  ]);
});

test('a generated split needs a generator that exists and can make its size', async () => {
  const unknown = await copy({ 'season.toml': [['generator = "wordmath"', 'generator = "riddles"']] });
  expect(await pointed(await problemsOf(() => loadSeason(unknown)))).toEqual([
    ['generator = "riddles"', 'tracks[0].splits.test.generator: No generator "riddles"; known are wordmath'],
  ]);
  const uneven = await copy({ 'season.toml': [['size = 200', 'size = 205']] });
  expect(await pointed(await problemsOf(() => loadSeason(uneven)))).toEqual([
    ['size = 205', 'tracks[0].splits.test.size: wordmath makes multiples of 10, not 205'],
  ]);
});

test('base facts that do not read, or do not fit their header, are refused at start', async () => {
  const facts = await copy({ 'wordmath/base.json': [['"headerSize":17536', '"headerSize":17535']] });
  const pin = sha256Hex(await readFile(join(facts, 'wordmath/base.json')));
  const toml = await readFile(join(facts, 'season.toml'), 'utf8');
  await writeFile(
    join(facts, 'season.toml'),
    toml.replace(/(base\.json", sha256 = ")[0-9a-f]{64}/, `$1${pin}`),
  );
  expect((await problemsOf(() => loadSeason(facts))).map(({ message }) => message)).toEqual([
    'tracks[0].base.header: is not the header that wordmath/base.json names; make both again from the base',
  ]);

  await writeFile(join(facts, 'wordmath/base.json'), '{"schema":2}');
  const broken = sha256Hex('{"schema":2}');
  await writeFile(
    join(facts, 'season.toml'),
    toml.replace(/(base\.json", sha256 = ")[0-9a-f]{64}/, `$1${broken}`),
  );
  const [problem] = await problemsOf(() => loadSeason(facts));
  expect(problem?.message).toMatch(/^tracks\[0\]\.base\.facts: wordmath\/base\.json is not a base's facts: /);
});

test('the problems of several seasons come together, and an id belongs to its folder', async () => {
  const dir = await copy({ 'season.toml': [['id = "pocket"', 'id = "pockets"']] });
  const problems = await problemsOf(() => loadSeasons(join(dir, '..'), ['pocket', 'nowhere']));
  expect(problems.map(({ message }) => message)).toEqual([
    'id: is "pockets" in a folder named "pocket"; give both one name',
    'is not there; a season is a folder with a season.toml',
  ]);
});
