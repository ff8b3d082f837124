import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PublicTrackRules } from '@vtb/protocol/wire/trackRules.ts';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Description, descriptionSchema } from '../system/description.ts';
import { findModelFiles, type ModelFiles } from '../system/modelFiles.ts';
import { findTrackRules } from '../trackRules.ts';

interface InitOptions {
  readonly track?: string;
  readonly season?: string;
  readonly from?: string;
  readonly name?: string;
  readonly license?: string;
  readonly base?: string;
}

/** `init`. */
export function initCommand(program: Command, context: Context): void {
  program
    .command('init [dir]')
    .description(
      'make a system in a folder (default: this one): system.toml, and with --from its weights; overwrites nothing',
    )
    .option('--track <id>', 'the track (default: the only one)')
    .option('--season <id>', 'the season (default: the one that has the track)')
    .option(
      '--from <model>',
      'a .gguf or a Hugging Face folder: linked into weights/, copied where links cannot be',
    )
    .option('--name <name>', "the system's name (default: the folder's)")
    .option('--license <id>', 'the license you give it, such as Apache-2.0')
    .option('--base <model>', "the base model's name (default: the track's)")
    .action((dir: string | undefined, options: InitOptions) => init(resolve(dir ?? '.'), options, context));
}

async function init(dir: string, options: InitOptions, context: Context): Promise<void> {
  const wanted = { track: options.track ?? null, season: options.season ?? null };
  const rules = await findTrackRules(wanted, context);
  const model = options.from === undefined ? null : await findModelFiles(options.from);
  if (model !== null && model.format !== rules.weightsFormat)
    throw new Failure(
      'refused',
      'init.format',
      `${options.from} is ${model.format}; ${rules.trackTitle} takes ${rules.weightsFormat}`,
    );
  if (model === null && (await isModelFolder(dir)))
    throw new Failure('usage', 'init.model', `${dir} is a model itself: vtb init NEW-FOLDER --from ${dir}`);
  const description = await describe(dir, options, rules);
  await refuseExisting(dir, model);
  await mkdir(join(dir, 'weights'), { recursive: true });
  if (model !== null) await bring(model, join(dir, 'weights'), context);
  await writeFile(join(dir, 'system.toml'), tomlText(description), { flag: 'wx' });

  for (const [key, value] of Object.entries(description))
    if (value === unstated)
      context.console.note(`system.toml says ${key} = "${unstated}": write which it is`);
  for (const name of model?.leftOut ?? []) context.console.note(`left out: ${name}`);
  context.console.note(`The terms that system.toml accepts:\n\n${rules.terms.text.trim()}\n`);
  const files = model?.files.map(({ path }) => `weights/${path}`) ?? [];
  context.console.result(
    { dir, season: rules.season, description, files, leftOut: model?.leftOut ?? [] },
    [
      `${dir} is a system for ${rules.trackTitle} (${rules.seasonTitle}); ${files.length} file(s) in weights/`,
      `system.toml says edits = ${JSON.stringify(description.edits)} and accepts the terms above: make it true, then vtb check ${dir}`,
    ].join('\n'),
  );
}

const unstated = 'unstated';

/** Its files would be no part of a system there. */
async function isModelFolder(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch(() => []);
  return names.some((name) => /\.(safetensors|gguf)$/.test(name));
}

async function describe(dir: string, options: InitOptions, rules: PublicTrackRules): Promise<Description> {
  const harness = await lstat(join(dir, 'harness')).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  const described = descriptionSchema.safeParse({
    track: rules.track,
    edits: rules.edits.filter((edit) => edit !== 'harness' || harness),
    name: options.name ?? basename(dir).slice(0, 80),
    license: options.license ?? unstated,
    base: options.base ?? rules.base?.model ?? unstated,
    terms: rules.terms.sha256,
  });
  if (described.success) return described.data;
  const [issue] = described.error.issues;
  throw new Failure('usage', 'init.description', `${issue?.path.join('.')}: ${issue?.message}`);
}

/** Before anything is written: a folder that is half a system already is its owner's to sort out. */
async function refuseExisting(dir: string, model: ModelFiles | null): Promise<void> {
  const isThere = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );
  const weights = model === null ? [] : await readdir(join(dir, 'weights')).catch(() => []);
  const there = [
    ...((await isThere(join(dir, 'system.toml'))) ? ['system.toml'] : []),
    ...weights.map((name) => `weights/${name}`),
  ];
  if (there.length === 0) return;
  throw new Failure(
    'refused',
    'init.exists',
    `${dir} has ${there.slice(0, 5).join(', ')}${there.length > 5 ? ', …' : ''} already; nothing was written`,
  );
}

async function bring(model: ModelFiles, weights: string, context: Context): Promise<void> {
  for (const { path, file } of model.files) {
    context.signal.throwIfAborted();
    const target = join(weights, path);
    const linked = await link(file, target).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') throw cause;
        return false;
      },
    );
    if (linked) continue;
    context.console.note(`copying ${path}`);
    await copyFile(file, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** TOML's basic strings take all of JSON's escapes. */
function tomlText(description: Description): string {
  return Object.entries(description)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('');
}
