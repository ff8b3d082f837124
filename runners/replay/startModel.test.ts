import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseFactsSchema } from '@vtb/protocol/system/base.ts';
import { loadSeason } from '@vtb/seasons/load.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { engineNamed } from '../engines/registry.ts';
import { probeIsolation } from '../isolation/probeIsolation.ts';
import type { FetchedSystem } from '../weights/fetchSystem.ts';
import { newCalibration } from './calibration.ts';
import { environmentOf } from './environment.ts';
import type { ReplayBox } from './startEngine.ts';
import { startModel } from './startModel.ts';
import { type TrackModel, trackModel } from './trackModel.ts';

const pocket = join(import.meta.dirname, '../../seasons/pocket');
const signal = new AbortController().signal;
const engine = engineNamed('llama.cpp');
const folder = mkdtempSync(join(tmpdir(), 'vtb-m-'));
const good = join(folder, 'good.gguf');
const torn = join(folder, 'torn.gguf');
const { season } = await loadSeason(pocket);
const [track] = season.tracks;
if (track === undefined) throw new Error('the pocket season has a track');
const facts = baseFactsSchema.parse(JSON.parse(readFileSync(join(pocket, 'wordmath/base.json'), 'utf8')));
if (facts.format !== 'gguf') throw new Error('the pocket base is a GGUF');
const model = trackModel(track, facts.fileSize);
const system: FetchedSystem = {
  base: facts,
  baseHeader: readFileSync(join(pocket, 'wordmath/base.header')),
  weights: { path: 'weights/model.gguf', role: 'weights', size: 0, chunks: [] },
};
let level: ReplayBox['level'];
let dirs = 0;
const logged: string[] = [];

beforeAll(async () => {
  ({ level } = await probeIsolation({ slot: 900_031 }, { signal }));
  copyFileSync(join(pocket, 'systems/tuned/weights/model.gguf'), good);
  copyFileSync(good, torn);
  truncateSync(torn, 100_000);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(weightsPath: string, changed: Partial<TrackModel['engine']> = {}, engineVersion?: string) {
  const changedModel = { ...model, engine: { ...model.engine, ...changed } };
  dirs += 1;
  const socketsDir = mkdtempSync(join(tmpdir(), 'vtb-m-'));
  const slots = { engine: 900_032, proxy: 900_033, calibration: 900_034 };
  const box: ReplayBox = { level, slots, socketsDir };
  const deps = { box, workDir: folder, log: (_: string, event: string) => void logged.push(event), signal };
  const calibration = newCalibration({ engine, model: changedModel, system }, deps);
  return startModel(
    {
      ...{ engine, model: changedModel, weightsPath, weightsDigest: 'ab'.repeat(32), concurrency: 4 },
      ...{ engineVersion: engineVersion ?? track?.engine.version ?? '', requestTimeoutMs: 60_000 },
    },
    dirs,
    { ...deps, calibration, onUsage: () => {} },
  ).finally(() => rmSync(socketsDir, { recursive: true, force: true }));
}

// Each start is two new processes that load a library; a busy host takes its time.
vi.setConfig({ testTimeout: 120_000 });

test('weights that serve are up, with facts that fit a receipt', async () => {
  const running = await start(good);
  const environment = environmentOf({
    facts: running.engine.facts,
    engineDigest: 'cd'.repeat(32),
    hardware: 'a host',
  });
  expect(environment).toMatchObject({
    engine: 'llama.cpp node-llama-cpp 3.21.1',
    template: track.base.kind === 'gguf' ? track.base.chatTemplate.sha256 : '',
    isolation: level,
    flags: 'contextTokens=1024 flashAttention=false gpu=false sequences=4 threads=1',
  });
  expect(await running.stop()).toBeGreaterThan(0);
});

test('weights that fail twice where the calibration system serves are the system’s fault', async () => {
  logged.length = 0;
  await expect(start(torn)).rejects.toMatchObject({
    result: { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' },
  });
  expect(logged).toEqual(['engine.notLoaded', 'engine.notLoaded', 'calibration.served']);
});

test('an engine that doesn’t come up in time on this host with any weights is ours', async () => {
  logged.length = 0;
  await expect(start(good, { loadTimeoutMs: 1 })).rejects.toMatchObject({
    result: { kind: 'failed', fault: 'ours', cause: 'engine' },
  });
  expect(logged).toEqual(['engine.notLoaded', 'engine.notLoaded', 'calibration.failed']);
});

test('another version than the track’s is ours, and nothing is left running', async () => {
  await expect(start(good, {}, 'node-llama-cpp 3.0.0')).rejects.toMatchObject({
    result: { kind: 'failed', fault: 'ours', cause: 'engine' },
  });
});

test('calibrations leave no file behind', () => {
  expect(readdirSync(folder).sort()).toEqual(['good.gguf', 'torn.gguf']);
});
