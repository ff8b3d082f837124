import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { expectEverythingOnce } from '../service/everythingOnce.ts';
import { type ProcessName, processNames } from '../service/processTree.ts';
import { type Service, startService } from '../service/service.ts';
import { newTeam, submitSystem, type Team } from '../service/team.ts';
import { testConfig } from '../testConfig.ts';

/** The same instants in every run; another seed finds others. */
const seed = 20_261_201;
/** Finals in flight at a time: one at work, one waiting. */
const together = 2;
/** Milliseconds between two kills: from a fraction of a step to a whole replay. */
const gapMs = { least: 200, most: 2_500 } as const;

let service: Service;
let team: Team;

beforeAll(async () => {
  service = await startService();
  team = await newTeam('Chaos', service);
}, 200_000);
afterAll(() => service?.stop());

test(`${testConfig.chaosInstants} kills at seeded instants lose nothing and double nothing`, async () => {
  const random = seededRandom(seed);
  const finals: string[] = [];
  for (let kills = 0; kills < testConfig.chaosInstants; ) {
    for (let more = 0; more < together; more += 1) {
      const wanted = { agent: `Chaos ${finals.length}`, system: 'tuned', purpose: 'final' } as const;
      finals.push((await submitSystem(wanted, team)).submission);
    }
    while (kills < testConfig.chaosInstants && (await isAtWork(finals))) {
      // The instant is the test: this is no wait for something to happen.
      await delay(gapMs.least + random() * (gapMs.most - gapMs.least));
      const name = await someProcess(random);
      await service.kill(name);
      kills += 1;
    }
    await expectEverythingOnce(finals, service);
  }
}, 3_600_000);

async function isAtWork(finals: readonly string[]): Promise<boolean> {
  for (;;) {
    try {
      const [row] = await service.sql.public`
        SELECT count(*)::int AS count FROM submissions WHERE state = 'published' AND id = ANY(${[...finals]})`;
      return row?.count !== finals.length;
    } catch {
      await service.until('the database', async () => (await service.sql.public`SELECT 1`).length === 1);
    }
  }
}

/** One of the processes that are there now, Postgres included. */
async function someProcess(random: () => number): Promise<ProcessName> {
  const there: ProcessName[] = [];
  for (const name of processNames) if ((await service.pids(name)).length > 0) there.push(name);
  return there[Math.floor(random() * there.length)] ?? 'gateway';
}

/** mulberry32: numbers in [0, 1) from 32 bits of seed. */
function seededRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
