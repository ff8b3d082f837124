/**
 * Theory of operation. One grading goes through nine steps; at each of them one process is killed with -9 the moment the
 * step is reached. Where the next process would take the step's product away at once, it stands still (SIGSTOP) until the
 * kill. Four is coprime to both lengths of the lists below, so that seven rounds kill every process at every step where
 * it is there; two rounds, as in the suite, kill each of them and at each step twice.
 */
import { join } from 'node:path';
import { listMessages, type SpoolFolder } from '@vtb/grader/spool.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { expectEverythingOnce } from '../service/everythingOnce.ts';
import type { ProcessName } from '../service/processTree.ts';
import { type Service, startService } from '../service/service.ts';
import { newTeam, submitSystem, type Team } from '../service/team.ts';
import { testConfig } from '../testConfig.ts';

const always: readonly ProcessName[] = ['courier', 'grader', 'gateway', 'postgres', 'runner'];
const whileReplaying: readonly ProcessName[] = [
  ...(['proxy', 'engine', 'runner', 'grader', 'postgres', 'gateway', 'courier'] as const),
];
const roundOffset = 4;
const rounds = testConfig.chaos === 'long' ? whileReplaying.length : 2;

interface Step {
  readonly name: string;
  readonly killable: readonly ProcessName[];
  /** Stands still from the step before until the kill. */
  readonly holds: ProcessName | null;
  readonly reached: (submission: string, service: Service) => Promise<boolean>;
}

const steps: readonly Step[] = [
  {
    name: 'order appended',
    killable: always,
    holds: 'courier',
    reached: async (submission, { sql }) => (await gradingOf(submission, sql)) !== undefined,
  },
  {
    name: 'order in the inbox',
    killable: always,
    holds: 'grader',
    reached: async (_, service) => (await messagesIn('inbox', service)).length > 0,
  },
  {
    name: 'order claimed',
    killable: always,
    holds: 'runner',
    reached: async (submission, { sql }) =>
      (await sql.vault`SELECT 1 FROM orders WHERE submission = ${submission}`).length > 0,
  },
  {
    name: 'lease taken',
    killable: whileReplaying,
    holds: null,
    reached: async (submission, { sql }) =>
      (
        await sql.vault`
        SELECT 1 FROM replays JOIN orders ON orders.id = replays."order"
        WHERE submission = ${submission} AND replays.ended_at IS NULL`
      ).length > 0,
  },
  {
    name: 'mid trial',
    killable: whileReplaying,
    holds: null,
    reached: async (submission, { sql }) =>
      (
        await sql.vault`
        SELECT 1 FROM trials JOIN orders ON orders.id = trials."order"
        WHERE submission = ${submission} AND trials.state = 'leased' AND lease_until > now()`
      ).length > 0,
  },
  {
    name: 'outcome sent',
    killable: whileReplaying,
    holds: null,
    reached: async (submission, { sql }) =>
      (
        await sql.vault`
        SELECT 1 FROM trials JOIN orders ON orders.id = trials."order"
        WHERE submission = ${submission} AND trials.state = 'resolved'`
      ).length > 0,
  },
  {
    name: 'report in the outbox',
    killable: always,
    holds: 'courier',
    reached: async (_, service) => (await messagesIn('outbox', service)).some((id) => id.startsWith('rep_')),
  },
  {
    name: 'report delivered',
    killable: always,
    holds: null,
    reached: async (submission, { sql }) => (await gradingOf(submission, sql))?.report !== null,
  },
  {
    name: 'published',
    killable: always,
    holds: null,
    reached: async (submission, { sql }) => (await gradingOf(submission, sql))?.published !== null,
  },
];

let service: Service;
let team: Team;
const finals: string[] = [];

beforeAll(async () => {
  service = await startService();
  team = await newTeam('Killed', service);
}, 200_000);
afterAll(() => service?.stop());

test.each(Array.from({ length: rounds }, (_, round) => plan(round)))(
  'a grading is published once, with every trial counted once, though these were killed: %s',
  async (_, victims) => {
    await hold(steps[0]?.holds ?? null);
    const { submission } = await submitSystem({ agent: 'Killed', system: 'tuned', purpose: 'final' }, team);
    finals.push(submission);
    for (const [index, step] of steps.entries()) {
      await service.until(step.name, () => step.reached(submission, service), 180_000);
      await kill(victims[index] ?? 'gateway', submission);
      await hold(steps[index + 1]?.holds ?? null);
      if (step.holds !== null) await service.resume(step.holds);
    }
    await expectEverythingOnce(finals, service);
  },
  600_000,
);

function plan(round: number): [text: string, victims: readonly ProcessName[]] {
  const victims = steps.map(
    ({ killable }, index) => killable[(index + roundOffset * round) % killable.length] ?? 'gateway',
  );
  return [steps.map(({ name }, index) => `${victims[index]} (${name})`).join(', '), victims];
}

/**
 * kill -9, as soon as the process is there: an engine may only be starting. Of a replay that ended just then there is none
 * left to kill.
 */
async function kill(name: ProcessName, submission: string): Promise<void> {
  const ofReplay = name === 'proxy' || name === 'engine';
  const isDone = async () => ofReplay && (await resolvedAll(submission));
  const killed = async () => (await service.kill(name)).length > 0 || isDone();
  await service.until(`a ${name} to kill`, killed, 180_000);
}

async function resolvedAll(submission: string): Promise<boolean> {
  const open = await service.sql.vault`
    SELECT 1 FROM trials JOIN orders ON orders.id = trials."order"
    WHERE submission = ${submission} AND trials.state <> 'resolved'`;
  return open.length === 0;
}

async function hold(name: ProcessName | null): Promise<void> {
  if (name === null) return;
  await service.until(`a ${name} to hold`, async () => (await service.pids(name)).length > 0);
  await service.pause(name);
}

async function gradingOf(submission: string, sql: Service['sql']) {
  const [row] = await sql.public`
    SELECT report, published_at AS published FROM gradings WHERE submission = ${submission}
    ORDER BY number DESC LIMIT 1`;
  return row;
}

function messagesIn(folder: SpoolFolder, { dataDir }: Service): Promise<string[]> {
  return listMessages(folder, { root: join(dataDir, 'spool') });
}
