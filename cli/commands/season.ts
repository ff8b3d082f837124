import { createHash } from 'node:crypto';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { type Sha256, sha256Hex, sha256Schema } from '@vtb/protocol/digest.ts';
import { type BaseFacts, forbidModels } from '@vtb/protocol/system/base.ts';
import { makeBaseFacts } from '@vtb/protocol/system/makeBaseFacts.ts';
import { readBlocks } from '@vtb/protocol/system/readAt.ts';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../progress.ts';
import { findModelFiles, type ModelFiles } from '../system/modelFiles.ts';

interface BaseOptions {
  readonly model?: string;
  readonly out: string;
  readonly rename: readonly string[];
  readonly optional: readonly string[];
  readonly forbid: readonly string[];
}

/** `season …`: for whoever defines one. */
export function seasonCommands(program: Command, context: Context): void {
  const season = program.command('season').description('for those who define a season');
  const many = (value: string, before: readonly string[]) => [...before, value];
  season
    .command('base <model>')
    .description(
      "make base.json (and a GGUF's base.header) from a base model's .gguf or Hugging Face folder; overwrites nothing",
    )
    .option('--model <name>', 'its name in messages (default: that of the folder or file)')
    .option('--out <dir>', 'where to write', '.')
    .option(
      '--rename <from=to>',
      'a prefix of tensor names that savers write otherwise; repeatable',
      many,
      [],
    )
    .option('--optional <prefix>', 'tensors that may be missing; repeatable', many, [])
    .option('--forbid <model>', 'a model whose tensors are refused; repeatable', many, [])
    .action((model: string, options: BaseOptions) => writeBase(model, options, context));
}

async function writeBase(path: string, options: BaseOptions, context: Context): Promise<void> {
  const model = await findModelFiles(path);
  const outputs = ['base.json', ...(model.format === 'gguf' ? ['base.header'] : [])];
  for (const name of outputs) await refuseExisting(join(options.out, name));
  const own = await factsOf(path, options.model ?? basename(path), options, context);
  const forbidden: BaseFacts[] = [];
  for (const other of options.forbid) forbidden.push(await factsOf(other, basename(other), options, context));
  const facts = forbidModels(own, forbidden);

  const files: [string, Uint8Array][] = [
    ['base.json', new TextEncoder().encode(`${canonicalJson(facts)}\n`)],
    ...(facts.format === 'gguf'
      ? [['base.header', await headerOf(model, facts.headerSize)] satisfies [string, Uint8Array]]
      : []),
  ];
  await mkdir(options.out, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(options.out, name), bytes, { flag: 'wx' });
  const pinned = files.map(([name, bytes]) => ({ path: name, sha256: sha256Hex(bytes) }));
  const lines = pinned.map(
    (file) =>
      `${file.path === 'base.json' ? 'facts' : 'header'} = { path = "${file.path}", sha256 = "${file.sha256}" }`,
  );
  context.console.result(
    { model: facts.model, format: facts.format, tensors: facts.tensors.length, files: pinned },
    `${facts.tensors.length} tensors of ${facts.model}. The season's TOML has to say:\n${lines.join('\n')}`,
  );
}

async function factsOf(
  path: string,
  name: string,
  options: BaseOptions,
  context: Context,
): Promise<BaseFacts> {
  const model = await findModelFiles(path);
  const total = model.files.reduce((sum, { size }) => sum + size, 0);
  const progress = startProgress(
    { verb: `reading ${name}`, total },
    { console: context.console, nowMs: () => performance.now() },
  );
  let read = 0;
  const readFileAt: typeof model.readFileAt = (file, offset, length) => {
    context.signal.throwIfAborted();
    read += length;
    progress.to(Math.min(read, total));
    return model.readFileAt(file, offset, length);
  };
  const isGguf = model.format === 'gguf';
  const made = await makeBaseFacts(
    {
      model: name,
      format: model.format,
      files: model.files.map(({ path: file, size }) => ({ path: file, size })),
      renames: isGguf ? [] : options.rename.map(renameOf),
      optionalPrefixes: isGguf ? [] : options.optional,
    },
    { readFileAt, hashChunk },
  );
  if (made.ok) return made.facts;
  throw new Failure('refused', 'base.refused', `${path} is no sound model`, made.problems);
}

function renameOf(text: string): { from: string; to: string } {
  const [from, to, ...more] = text.split('=');
  if (from === undefined || to === undefined || more.length > 0)
    throw new Failure('usage', 'base.rename', `--rename is FROM=TO, not ${text}`);
  return { from, to };
}

async function hashChunk(bytes: AsyncIterable<Uint8Array>): Promise<Sha256> {
  const hash = createHash('sha256');
  for await (const block of bytes) hash.update(block);
  return sha256Schema.parse(hash.digest('hex'));
}

async function headerOf({ files, readFileAt }: ModelFiles, size: number): Promise<Uint8Array> {
  const [file] = files;
  if (file === undefined) throw new Error('a GGUF without a file');
  const blocks: Uint8Array[] = [];
  const range = { offset: 0, size };
  for await (const block of readBlocks(range, (offset, length) => readFileAt(file.path, offset, length)))
    blocks.push(block);
  return Buffer.concat(blocks);
}

async function refuseExisting(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Failure('refused', 'base.exists', `${path} is there already; nothing was written`);
}
