import { expect, it } from 'vitest';
import { newId } from '../ids.ts';
import {
  averagedSystem,
  averagedTracksMax,
  comparedListDigest,
  comparedMax,
  comparisonBytesMax,
  comparisonSchema,
} from './comparison.ts';
import { newSigningKey } from './keys.ts';
import { publicHalf, seal, unseal } from './sealing.ts';

const grading = (number: number) => {
  const random = new Uint8Array(20);
  new DataView(random.buffer).setUint32(0, number);
  return newId(
    'grading',
    Uint8Array.from(random, (byte, at) => (at < 8 ? (number >> (at * 5)) & 31 : byte)),
  );
};

it('the largest comparison in Avg. is a message that may cross', async () => {
  const systems = Array.from({ length: comparedMax }, (_, row) =>
    averagedSystem(
      Array.from({ length: averagedTracksMax }, (_, track) => grading(row * averagedTracksMax + track)),
    ),
  );
  const payload = {
    v: 1,
    aud: 'vtb-gateway',
    season: 's'.repeat(63),
    track: null,
    split: null,
    logSize: 1,
    systems,
    verdicts: '='.repeat((comparedMax * (comparedMax - 1)) / 2),
  };
  const key = await newSigningKey();
  const jws = await seal('comparison', payload, key);
  const opened = await unseal(
    'comparison',
    jws,
    comparisonSchema,
    { [key.kid]: publicHalf(key) },
    comparisonBytesMax,
  );
  expect(opened.payload).toEqual(payload);
});

it('what is no ranked row, no verdict, or more than verdicts is refused', () => {
  const good = {
    v: 1,
    aud: 'vtb-gateway',
    season: 'pocket',
    track: 'wordmath',
    split: '1'.repeat(64),
    logSize: 3,
    systems: [grading(1), grading(2)],
    verdicts: '>',
  };
  expect(comparisonSchema.safeParse(good).success).toBe(true);
  for (const wrong of [
    { verdicts: '?' },
    { systems: ['Team A', grading(2)] },
    { systems: [`${grading(1)}+`, grading(2)] },
    { aud: 'vtb-public' },
    { p: [0.01] },
  ])
    expect(comparisonSchema.safeParse({ ...good, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
});

it('a list’s name changes with its season, its track, its rows and their order', () => {
  const list = { season: 'a', track: 't', systems: [grading(1), grading(2)] };
  const names = [
    list,
    { ...list, season: 'b' },
    { ...list, track: null },
    { ...list, systems: list.systems.toReversed() },
    { ...list, systems: [averagedSystem(list.systems)] },
    { ...list, systems: list.systems.slice(1) },
  ].map(comparedListDigest);
  expect(new Set(names).size).toBe(names.length);
  expect(comparedListDigest({ ...list })).toBe(names[0]);
});
