import { sha256Hex } from '../digest.ts';
import type { GgufBaseFacts } from './base.ts';
import { type ParsedGguf, parseGguf } from './gguf.ts';
import { newProblemList, type SystemProblem } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import { type ReadAt, readBlocks, readBytesMax } from './readAt.ts';
import type { Layout, PlacedTensor } from './tensor.ts';

/*
 * The engine never gets a team's GGUF. It gets one written by us: the base's header to the byte, with its
 * keys, tokenizer, template and tensor list, and behind it the team's tensors at the base's offsets. What a
 * team wrote into its header, in whatever order, has no way into the engine, even past intake.
 */

/** A tensor's bytes: from the team's file, to their place in the new one. */
export interface RewritePart {
  readonly name: string;
  readonly sourceOffset: number;
  readonly size: number;
  readonly targetOffset: number;
}

/** How to make the file: the header, then each part in order, and zeros between and after them. */
export interface RewritePlan {
  readonly header: Uint8Array;
  readonly parts: readonly RewritePart[];
  /** Bytes of the new file: as many as the base's. */
  readonly fileSize: number;
}

/** A plan, or why the team's tensors can't stand behind the base's header. */
export type RewriteResult =
  | { readonly ok: true; readonly plan: RewritePlan }
  | { readonly ok: false; readonly problems: readonly SystemProblem[] };

/**
 * Plans the engine's GGUF.
 *
 * baseHeader  the base file's first `base.headerSize` bytes; a season carries them beside base.json.
 * team        what `parseGguf` found in the team's file; order of tensors and keys don't matter.
 * returns     problems when a tensor is missing, extra or of another type or shape: an inspected system
 *             has none of them, so this is the second line, not the first.
 * throws      Error when baseHeader isn't the base's: the season is broken, not the system.
 */
export async function planGgufRewrite(input: {
  readonly base: GgufBaseFacts;
  readonly baseHeader: Uint8Array;
  readonly team: ParsedGguf;
}): Promise<RewriteResult> {
  const { base, baseHeader, team } = input;
  const target = await baseLayout(base, baseHeader);
  const problems = newProblemList();
  const refuse = (name: string, clause: string) =>
    problems.add(
      'tensor.layout',
      partOf('weights/', name),
      `${quoteName(name)} ${clause}`,
      'Inspect the system again.',
    );
  if (team.layout === null) {
    problems.addAll(team.problems);
    return { ok: false, problems: problems.all() };
  }
  const source = new Map(team.layout.tensors.map((tensor) => [tensor.name, tensor]));
  const parts: RewritePart[] = [];
  for (const tensor of target.tensors) {
    const given = source.get(tensor.name);
    if (given === undefined) refuse(tensor.name, 'is missing');
    else if (!sameForm(given, tensor)) refuse(tensor.name, 'has another element type or shape than the base');
    else
      parts.push({
        name: tensor.name,
        sourceOffset: given.offset,
        size: tensor.size,
        targetOffset: tensor.offset,
      });
    source.delete(tensor.name);
  }
  for (const name of source.keys()) refuse(name, 'is not a tensor of the base');
  if (problems.all().length > 0) return { ok: false, problems: problems.all() };
  return { ok: true, plan: { header: baseHeader, parts, fileSize: base.fileSize } };
}

async function baseLayout(base: GgufBaseFacts, header: Uint8Array): Promise<Layout> {
  if (header.length !== base.headerSize || sha256Hex(header) !== base.headerDigest) {
    throw new Error(`These ${header.length} bytes are not the header of ${base.model} that base.json names`);
  }
  const file = { path: 'base.gguf', size: base.fileSize };
  const parsed = await parseGguf(file, async (offset, length) => withZeros(header, offset, length));
  if (parsed.layout === null || parsed.layout.dataOffset !== base.headerSize) {
    throw new Error(
      `The header of ${base.model} is no sound GGUF header: ${parsed.problems[0]?.message ?? 'its end'}`,
    );
  }
  return parsed.layout;
}

/** The parser reads whole blocks, past the header's end; what lies there it doesn't look at. */
function withZeros(header: Uint8Array, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(header.subarray(offset, offset + length));
  return bytes;
}

function sameForm(given: PlacedTensor, tensor: PlacedTensor): boolean {
  return (
    given.dtype === tensor.dtype && given.shape.join() === tensor.shape.join() && given.size === tensor.size
  );
}

/**
 * The new file's bytes, front to back, in blocks of at most 1 MiB; zeros wherever no part is.
 *
 * readAt  reads the team's file.
 * throws  Error when the plan's parts overlap or leave the file.
 */
export async function* rewrittenBytes(plan: RewritePlan, readAt: ReadAt): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < plan.header.length; offset += readBytesMax) {
    yield plan.header.subarray(offset, offset + readBytesMax);
  }
  let position = plan.header.length;
  for (const part of [...plan.parts].sort((a, b) => a.targetOffset - b.targetOffset || a.size - b.size)) {
    yield* zeros(part.targetOffset - position);
    yield* readBlocks({ offset: part.sourceOffset, size: part.size }, readAt);
    position = part.targetOffset + part.size;
  }
  yield* zeros(plan.fileSize - position);
}

function* zeros(count: number): Generator<Uint8Array> {
  if (count < 0)
    throw new Error(`A part of the plan begins ${-count} bytes before the end of the one before it`);
  for (let left = count; left > 0; left -= readBytesMax) yield new Uint8Array(Math.min(left, readBytesMax));
}
