import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { baseFactsSchema, forbidModels } from './base.ts';
import { joined, text } from './crafting/craftGguf.ts';
import { memoryFiles, memoryManifest, memoryReadAt } from './crafting/memoryFiles.ts';
import { factsOf } from './crafting/smallModel.ts';
import { parseGguf } from './gguf.ts';
import { inspectSystem } from './inspect.ts';
import { planGgufRewrite, rewrittenBytes } from './rewriteGguf.ts';
import type { TrackRules } from './trackRules.ts';

const root = new URL('../../', import.meta.url);

/** Where the two word-problem checkpoints may lie: in the pocket season, or beside a developer's checkout. */
const places = {
  'initial.gguf': [
    'seasons/pocket/systems/initial/weights/model.gguf',
    '../shared/data/wordmath/initial.gguf',
  ],
  'tuned.gguf': ['seasons/pocket/systems/tuned/weights/model.gguf', '../shared/data/wordmath/tuned.gguf'],
  'initial.safetensors': ['../shared/data/wordmath/initial/model.safetensors'],
  'tuned.safetensors': ['../shared/data/wordmath/tuned/model.safetensors'],
} as const;

const skipped =
  ' (skipped: needs the wordmath checkpoints as safetensors (enable with: the folder data/wordmath of the shared data beside the clone))';

/** A checkpoint of the pocket season, or null where it isn't there. */
function wordmathFile(name: keyof typeof places): Uint8Array | null {
  const found = places[name].map((place) => new URL(place, root)).find((url) => existsSync(url));
  return found === undefined ? null : new Uint8Array(readFileSync(found));
}

const formats = [
  ['gguf', 'model.gguf'],
  ['safetensors', 'model.safetensors'],
] as const;

for (const [format, file] of formats) {
  const initial = wordmathFile(`initial.${format}`);
  const tuned = wordmathFile(`tuned.${format}`);
  const there = initial !== null && tuned !== null;

  test.skipIf(!there)(
    `the real ${format} checkpoints pass on a track with the initial one as its base${there ? '' : skipped}`,
    async () => {
      const path = `weights/${file}`;
      const base = await factsOf(format, new Map([[path, initial ?? new Uint8Array()]]));
      expect(baseFactsSchema.parse(JSON.parse(JSON.stringify(base)))).toEqual(base);
      expect(base.tensors).toHaveLength(46);
      const rules: TrackRules = { track: 'wordmath', edits: ['data'], weightsFormat: format, base };
      const inspect = async (bytes: Uint8Array, used: TrackRules) => {
        const files = new Map([
          ['system.toml', text('x')],
          [path, bytes],
        ]);
        const manifest = await memoryManifest({ track: 'wordmath', edits: [] }, files);
        return (await inspectSystem({ manifest, rules: used }, { readFileAt: memoryFiles(files) })).problems;
      };
      expect(await inspect(initial ?? new Uint8Array(), rules)).toEqual([]);
      expect(await inspect(tuned ?? new Uint8Array(), rules)).toEqual([]);
      const forbidden = await factsOf(format, new Map([[path, tuned ?? new Uint8Array()]]));
      const guarded = { ...rules, base: forbidModels(base, [forbidden]) };
      expect(await inspect(initial ?? new Uint8Array(), guarded)).toEqual([]);
      const found = await inspect(tuned ?? new Uint8Array(), guarded);
      expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['tensor.forbidden']));
      expect(found).toHaveLength(46);
    },
  );
}

const initial = wordmathFile('initial.gguf');
const tuned = wordmathFile('tuned.gguf');

test.skipIf(initial === null || tuned === null)(
  'the engine’s file of the real tuned system is the base’s header and the tuned tensors',
  async () => {
    const own = initial ?? new Uint8Array();
    const team = tuned ?? new Uint8Array();
    const base = await factsOf('gguf', new Map([['weights/model.gguf', own]]));
    if (base.format !== 'gguf') throw new Error('another format');
    const readAt = memoryReadAt(team, { calls: 0, bytes: 0 });
    const parsed = await parseGguf({ path: 'team.gguf', size: team.length }, readAt);
    const result = await planGgufRewrite({
      base,
      baseHeader: own.subarray(0, base.headerSize),
      team: parsed,
    });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    const blocks: Uint8Array[] = [];
    for await (const block of rewrittenBytes(result.plan, readAt)) blocks.push(block);
    const made = joined(blocks);
    expect(made.length).toBe(own.length);
    expect(made.subarray(0, base.headerSize)).toEqual(own.subarray(0, base.headerSize));
    expect(made.subarray(base.headerSize)).toEqual(team.subarray(parsed.layout?.dataOffset ?? 0));
  },
);
