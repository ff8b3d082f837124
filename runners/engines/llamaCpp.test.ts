import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processLevels } from '../isolation/level.ts';
import { probeIsolation } from '../isolation/probeIsolation.ts';
import { slotUid } from '../isolation/slotUid.ts';
import { engineConformance } from './conformance.ts';
import type { EngineSettings } from './engine.ts';
import { llamaCpp } from './llamaCpp.ts';
import { engineNamed } from './registry.ts';

const weightsPath = join(import.meta.dirname, '../../seasons/pocket/systems/tuned/weights/model.gguf');
const slot = 900_010;
const settings: EngineSettings = {
  ...{ template: 'chatml', contextTokensMax: 512, outputTokensMax: 128, concurrencyMax: 4, queueMax: 12 },
  ...{ threads: 1, memoryBytesMax: 2 ** 30, loadTimeoutMs: 60_000 },
};

if (!existsSync(weightsPath))
  throw new Error(`the pocket season's tuned weights are missing: ${weightsPath}`);

// At the top: vitest collects suites before any hook runs.
const proven = await Promise.all(
  processLevels.map(async (level) => {
    const outcome = await probeIsolation(
      { slot, levels: [level] },
      { signal: AbortSignal.timeout(60_000) },
    ).catch(() => null);
    return outcome === null ? [] : [level];
  }),
);

for (const level of processLevels) {
  if (!proven.flat().includes(level)) {
    describe(`llama.cpp at ${level}`, () => test.skip(`${level} doesn't work for this user`, () => {}));
    continue;
  }
  const hasUid = level === 'process+uid+netns';
  engineConformance(`llama.cpp at ${level}`, {
    engine: llamaCpp,
    weightsPath,
    settings,
    isolation: { level, uid: hasUid ? slotUid(slot + 1) : null, peerGid: hasUid ? slotUid(slot + 2) : null },
    question:
      'Hugo has 265 marbles and buys 162 more. How many marbles are there now?\nPlease reason step by step, and put your final answer within \\boxed{}.',
    depth: level === proven.flat()[0] ? 'whole' : 'start',
    answer: /\\boxed\{427\}/,
  });
}

test('an unknown engine is refused with the known ones', () => {
  expect(() => engineNamed('toString')).toThrow(/llama\.cpp/);
});
