import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CraftedGguf, craftGguf, joined } from './crafting/craftGguf.ts';
import { memoryReadAt } from './crafting/memoryFiles.ts';
import { smallGguf, smallGgufFacts, tensor } from './crafting/smallModel.ts';
import { parseGguf } from './gguf.ts';
import { planGgufRewrite, rewrittenBytes } from './rewriteGguf.ts';

const base = await smallGgufFacts();
const baseFile = craftGguf(smallGguf);
const baseHeader = baseFile.slice(0, base.headerSize);

async function plan(team: CraftedGguf) {
  const bytes = craftGguf(team);
  const readAt = memoryReadAt(bytes, { calls: 0, bytes: 0 });
  const parsed = await parseGguf({ path: 'team.gguf', size: bytes.length }, readAt);
  return { result: await planGgufRewrite({ base, baseHeader, team: parsed }), readAt };
}

async function rewrite(team: CraftedGguf): Promise<Uint8Array> {
  const { result, readAt } = await plan(team);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const blocks: Uint8Array[] = [];
  for await (const block of rewrittenBytes(result.plan, readAt)) blocks.push(block);
  return joined(blocks);
}

test('rewriting the base gives the base to the byte', async () => {
  expect(await rewrite(smallGguf)).toEqual(baseFile);
});

test('whatever the team’s keys, order, alignment and padding, the file is the base’s header and the team’s tensors', async () => {
  const hostile: CraftedGguf['keys'] = [
    ['general.architecture', ['string', 'other']],
    ['tokenizer.chat_template', ['string', '{{ 42 }}']],
    ['general.alignment', ['uint32', 128]],
  ];
  const order = fc.shuffledSubarray([...smallGguf.tensors], { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (shuffled, mask, wide) => {
      const changed = (file: CraftedGguf['tensors']) =>
        file.map((each) => ({ ...each, bytes: each.bytes.map((byte) => byte ^ mask) }));
      const wideKeys: CraftedGguf = { ...smallGguf, keys: hostile, alignment: 128, paddingByte: 0xee };
      const made = await rewrite({ ...(wide ? wideKeys : smallGguf), tensors: changed(shuffled) });
      expect(made).toEqual(craftGguf({ ...smallGguf, tensors: changed(smallGguf.tensors) }));
    }),
  );
});

test('a tensor that is missing, added or of another form is refused', async () => {
  const [embedding, , ...rest] = smallGguf.tensors;
  if (embedding === undefined) throw new Error('the model changed');
  const tensors = [tensor('token_embd.weight', [3, 4], 1), ...rest, tensor('extra', [4], 0)];
  const { result } = await plan({ ...smallGguf, tensors });
  expect(result.ok ? [] : result.problems.map(({ at }) => at)).toEqual([
    'weights/ # "token_embd.weight"',
    'weights/ # "blk.0.attn_norm.weight"',
    'weights/ # "extra"',
  ]);
});

test('a file that could not be placed is refused with its own problems', async () => {
  const { result } = await plan({ ...smallGguf, version: 2 });
  expect(result.ok ? [] : result.problems.map(({ code }) => code)).toEqual(['gguf.header']);
});

test('a header that is not the base’s is an error of the season, not of the system', async () => {
  const readAt = memoryReadAt(baseFile, { calls: 0, bytes: 0 });
  const team = await parseGguf({ path: 'team.gguf', size: baseFile.length }, readAt);
  const other = baseHeader.with(40, (baseHeader[40] ?? 0) ^ 1);
  await expect(planGgufRewrite({ base, baseHeader: other, team })).rejects.toThrow('not the header');
  await expect(planGgufRewrite({ base, baseHeader: baseHeader.slice(1), team })).rejects.toThrow(
    'not the header',
  );
});

test('a plan whose parts overlap writes no file', async () => {
  const parts = [
    { name: 'a', sourceOffset: 0, size: 64, targetOffset: 0 },
    { name: 'b', sourceOffset: 0, size: 64, targetOffset: 32 },
  ];
  const readAt = memoryReadAt(baseFile, { calls: 0, bytes: 0 });
  const write = async () => {
    for await (const block of rewrittenBytes({ header: new Uint8Array(0), parts, fileSize: 128 }, readAt))
      void block;
  };
  await expect(write()).rejects.toThrow('before the end');
});
