import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { craftSafetensors } from '@vtb/protocol/system/crafting/craftSafetensors.ts';
import { afterAll, expect, test } from 'vitest';
import { invoke } from '../testing/invoke.ts';
import { checkCommand } from './check.ts';
import { initCommand } from './init.ts';
import { seasonCommands } from './season.ts';

const home = await mkdtemp(join(tmpdir(), 'vtb-init-'));
afterAll(() => rm(home, { recursive: true, force: true }));
const gguf = fileURLToPath(
  new URL('../../seasons/pocket/systems/initial/weights/model.gguf', import.meta.url),
);
const pocket = fileURLToPath(new URL('../../seasons/pocket/', import.meta.url));

const vtb = (...args: string[]) =>
  invoke(args, {
    commands: (program, context) => {
      initCommand(program, context);
      checkCommand(program, context);
      seasonCommands(program, context);
    },
    url: 'http://127.0.0.1:9',
    token: 'none',
    home,
  });

test('what init makes of a .gguf passes check as it is, and is never overwritten', async () => {
  const dir = join(home, 'made');
  const made = await vtb('init', dir, '--track', 'wordmath', '--from', gguf, '--license', 'Apache-2.0');
  expect(made, made.failure?.message).toMatchObject({
    code: 0,
    document: { season: 'pocket', description: { name: 'made', base: 'wordmath-initial' } },
  });
  expect(made.stderr).toContain('The terms that system.toml accepts:');
  const checked = await vtb('check', dir);
  expect(checked, checked.failure?.message).toMatchObject({ code: 0, document: { notes: [] } });

  const before = await readFile(join(dir, 'system.toml'), 'utf8');
  const again = await vtb('init', dir, '--track', 'wordmath', '--license', 'MIT');
  expect(again).toMatchObject({ code: 1, failure: { code: 'init.exists' } });
  expect(await readFile(join(dir, 'system.toml'), 'utf8')).toBe(before);
  expect(await readdir(dir)).toEqual(['system.toml', 'weights']);
});

test('names are quoted: a hostile one stays a name', async () => {
  const dir = join(home, 'quoted');
  const name = 'a"\ntrack = "x" \\u0041 é';
  await vtb('init', dir, '--track', 'wordmath', '--from', gguf, '--license', 'MIT', '--name', name);
  expect(await vtb('check', dir)).toMatchObject({ code: 0 });
  expect((await readFile(join(dir, 'system.toml'), 'utf8')).split('\n')).toHaveLength(7);
});

test('of a Hugging Face folder it takes what weights have, through links, and says what it left out', async () => {
  const model = join(home, 'hf');
  const cache = join(home, 'cache');
  await Promise.all([
    mkdir(model),
    mkdir(cache),
    mkdir(join(home, 'hf', 'checkpoint-1'), { recursive: true }),
  ]);
  await writeFile(join(cache, 'blob'), craftSafetensors([]));
  await symlink(join(cache, 'blob'), join(model, 'model.safetensors'));
  for (const name of [
    'config.json',
    'tokenizer.json',
    'optimizer.pt',
    'README.md',
    'adapter_model.safetensors',
  ])
    await writeFile(join(model, name), '{}');
  const dir = join(home, 'of-hf');
  const args = ['init', dir, '--track', 'aime-2026', '--from', model, '--license', 'MIT'];
  const made = await vtb(...args);
  expect(made, made.failure?.message).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('system.toml says base = "unstated": write which it is'),
    document: { leftOut: ['adapter_model.safetensors', 'checkpoint-1', 'optimizer.pt'] },
  });
  const weights = await readdir(join(dir, 'weights'), { withFileTypes: true });
  expect(weights.map(({ name }) => name).sort()).toEqual([
    'README.md',
    'config.json',
    'model.safetensors',
    'tokenizer.json',
  ]);
  expect(weights.every((entry) => entry.isFile())).toBe(true);
});

test('a folder that is a model itself is left alone', async () => {
  const model = await mkdtemp(join(home, 'model-'));
  await writeFile(join(model, 'model.gguf'), 'x');
  const end = await vtb('init', model, '--track', 'wordmath');
  expect(end).toMatchObject({ code: 2, failure: { code: 'init.model' } });
  expect(await readdir(model)).toEqual(['model.gguf']);
});

test('weights of another format, and a choice that is not clear, are refused before anything is written', async () => {
  const dir = join(home, 'nothing');
  const common = [dir, '--license', 'MIT', '--from', gguf];
  expect(await vtb('init', ...common, '--track', 'aime-2026')).toMatchObject({
    code: 1,
    failure: { code: 'init.format' },
  });
  expect(await vtb('init', ...common)).toMatchObject({
    code: 2,
    failure: { message: expect.stringContaining('wordmath (pocket)') },
  });
  expect(await readdir(home)).not.toContain('nothing');
});

test('season base makes of the pocket base the very files that the season has', async () => {
  const out = join(home, 'base');
  const made = await vtb('season', 'base', gguf, '--model', 'wordmath-initial', '--out', out);
  expect(made, made.failure?.message).toMatchObject({ code: 0, document: { format: 'gguf' } });
  for (const name of ['base.json', 'base.header'])
    expect(await readFile(join(out, name))).toEqual(await readFile(join(pocket, 'wordmath', name)));
  const toml = await readFile(join(pocket, 'season.toml'), 'utf8');
  for (const [digest] of made.stdout.matchAll(/[0-9a-f]{64}/g)) expect(toml).toContain(digest);
  expect(await vtb('season', 'base', gguf, '--out', out)).toMatchObject({
    code: 1,
    failure: { code: 'base.exists' },
  });
});

test('season base knows a model again whose tensors are refused', async () => {
  const out = join(home, 'forbidding');
  const tuned = join(pocket, 'systems/tuned/weights/model.gguf');
  await vtb('season', 'base', gguf, '--model', 'base', '--out', out, '--forbid', tuned);
  const { forbidden } = JSON.parse(await readFile(join(out, 'base.json'), 'utf8'));
  expect(forbidden).toMatchObject([{ model: 'model.gguf' }]);
  expect(forbidden[0].digests.length).toBeGreaterThan(0);
});
