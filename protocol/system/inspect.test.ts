import fc from 'fast-check';
import { expect, test } from 'vitest';
import { craftGguf, text } from './crafting/craftGguf.ts';
import { craftSafetensors } from './crafting/craftSafetensors.ts';
import { memoryFiles, memoryManifest } from './crafting/memoryFiles.ts';
import { smallEntries, smallGguf, smallGgufFacts, smallSafetensorsFacts } from './crafting/smallModel.ts';
import { inspectSystem } from './inspect.ts';
import { systemProblemCodes } from './problemList.ts';

const kinds = [
  {
    weightsFormat: 'gguf',
    path: 'weights/model.gguf',
    sound: craftGguf(smallGguf),
    base: await smallGgufFacts(),
  },
  {
    weightsFormat: 'safetensors',
    path: 'weights/model.safetensors',
    sound: craftSafetensors(smallEntries),
    base: await smallSafetensorsFacts(),
  },
] as const;

const edits = fc.array(fc.record({ at: fc.nat(2_000), byte: fc.nat(255) }), { maxLength: 6 });

test.each(kinds)(
  'any $weightsFormat bytes are inspected to an end: accepted only with the base’s form and finite numbers',
  async ({ weightsFormat, path, sound, base }) => {
    const rules = { track: 'words', edits: [], weightsFormat, base };
    await fc.assert(
      fc.asyncProperty(edits, fc.nat(100), async (changes, cut) => {
        const bytes = sound.slice(0, sound.length - (cut > 50 ? cut - 50 : 0));
        for (const { at, byte } of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
        const files = new Map([
          ['system.toml', text('x')],
          [path, bytes],
        ]);
        const manifest = await memoryManifest({ track: 'words', edits: [] }, files);
        const input = { manifest, rules };
        const deps = { readFileAt: memoryFiles(files) };
        const { problems } = await inspectSystem(input, deps);
        // Twice is the same as once, on any machine.
        expect(await inspectSystem(input, deps)).toEqual({ problems });
        for (const { code, message, fix } of problems) {
          expect(systemProblemCodes).toContain(code);
          expect(message).not.toMatch(/\p{Cc}|undefined|NaN \(/u);
          expect(fix.length).toBeGreaterThan(0);
        }
        const same = bytes.length === sound.length && bytes.every((byte, index) => byte === sound[index]);
        if (same) expect(problems).toEqual([]);
      }),
      { numRuns: 700 },
    );
  },
);

test('rules whose base is of another format are a mistake of ours', async () => {
  const files = new Map([['system.toml', text('x')]]);
  const manifest = await memoryManifest({ track: 'words', edits: [] }, files);
  const rules = { track: 'words', edits: [], weightsFormat: 'gguf', base: kinds[1].base } as const;
  await expect(inspectSystem({ manifest, rules }, { readFileAt: memoryFiles(files) })).rejects.toThrow(
    TypeError,
  );
});
