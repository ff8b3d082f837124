import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { renderPrompt } from '@vtb/protocol/season/renderPrompt.ts';
import { beforeAll, expect, test } from 'vitest';
import { readExcludedTexts } from '../excludedTexts.ts';
import { generateSplit } from '../generators.ts';
import { type LoadedSeason, loadSeason } from '../load.ts';
import { baseFactsText, makeGgufBase } from '../makeBase.ts';
import { cryptoRandom } from '../random.ts';
import { readToml } from '../tomlDocument.ts';
import { solveWordmath } from './solveWordmath.fixture.ts';

const dir = fileURLToPath(new URL('.', import.meta.url));
let loaded: LoadedSeason;

beforeAll(async () => {
  loaded = await loadSeason(dir);
});

function wordmath() {
  const [track] = loaded.season.tracks;
  if (track?.driver !== 'prompt') throw new Error('the season has one prompt track');
  return track;
}

test('validation has a hundred problems, ten of each kind, with right answers', () => {
  const [tasks = []] = [...loaded.promptSplits.values()];
  const kinds = new Map<string, number>();
  for (const task of tasks) {
    const { kind, answer } = solveWordmath(task.problem);
    expect([task.id, task.answer]).toEqual([task.id, answer]);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect([...kinds.values()]).toEqual(new Array(10).fill(10));
});

test('every public problem is excluded from the hidden split', () => {
  const asset = loaded.assets.get('wordmath/public.sha256');
  const excluded = readExcludedTexts(asset?.bytes ?? new Uint8Array());
  expect(excluded.size).toBe(500);
  const [tasks = []] = [...loaded.promptSplits.values()];
  for (const { problem } of tasks) expect(excluded.has(sha256Hex(problem))).toBe(true);
});

test('the hidden split is made as the season says, and no two hosts have the same', () => {
  const { test: split } = wordmath().splits;
  if (split.kind !== 'generated') throw new Error('the test split is generated');
  const exclude = readExcludedTexts(loaded.assets.get(split.exclude.path)?.bytes ?? new Uint8Array());
  const make = () => generateSplit(split.generator, { size: split.size, exclude }, cryptoRandom());
  const [one, other] = [make(), make()];
  expect(one).toHaveLength(200);
  expect(Object.keys(one[0] ?? {})).toEqual(['id', 'problem', 'answer']);
  const texts = new Set(one.map(({ problem }) => problem));
  expect(other.filter(({ problem }) => texts.has(problem)).length).toBeLessThan(20);
});

test('a problem is asked in the words the example models were taught with', () => {
  expect(renderPrompt(wordmath(), '1 + 1?')).toEqual([
    {
      role: 'user',
      content: '1 + 1?\nPlease reason step by step, and put your final answer within \\boxed{}.',
    },
  ]);
});

test("the base's facts and header are those of the initial system, and its template is the track's", async () => {
  const model = loaded.season.baseModel.name;
  const made = await makeGgufBase(model, join(dir, 'systems/initial/weights/model.gguf'));
  const text = (path: string) => new TextDecoder().decode(loaded.assets.get(path)?.bytes);
  expect(text('wordmath/base.json')).toBe(baseFactsText(made.facts));
  expect(loaded.assets.get('wordmath/base.header')?.sha256).toBe(sha256Hex(made.header));
  const template = Buffer.from(text('wordmath/chat_template.jinja'));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(template.length));
  expect(Buffer.from(made.header).includes(Buffer.concat([length, template]))).toBe(true);
});

test('sampling is plain: everything but the temperature is off', () => {
  expect(wordmath().settings).toEqual({
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
  });
});

test.each(['initial', 'tuned'])(
  'the example system %s fits the season and accepts its terms',
  async (name) => {
    const folder = join(dir, 'systems', name);
    const { value } = readToml(await readFile(join(folder, 'system.toml'), 'utf8'));
    expect(value).toMatchObject({
      track: 'wordmath',
      name,
      base: loaded.season.baseModel.name,
      terms: loaded.season.terms.sha256,
    });
    const weights = await readFile(join(folder, 'weights/model.gguf'));
    expect(weights.subarray(0, 4).toString('latin1')).toBe('GGUF');
  },
);
