import { Readable } from 'node:stream';
import { addEntry } from '@vtb/db/public/entries.ts';
import { feedAfter } from '@vtb/db/public/feed.ts';
import { runs, submissionChunks, submissions, teams } from '@vtb/db/public/schema.ts';
import { moveSubmission } from '@vtb/db/public/submissionState.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { type Sha256, sha256Hex } from '@vtb/protocol/digest.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { checkpointSchema, treeHeadSchema } from '@vtb/protocol/messages/checkpoint.ts';
import type { Purpose } from '@vtb/protocol/messages/common.ts';
import type { SplitHeld } from '@vtb/protocol/messages/notice.ts';
import { type Order, orderSchema } from '@vtb/protocol/messages/order.ts';
import type { Report, ReportEnvelope, Result } from '@vtb/protocol/messages/report.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { metricNamed } from '@vtb/protocol/scoring/metrics.ts';
import { orderGrading } from '../actions/orderGrading.ts';
import type { TestGateway } from './testGateway.ts';

/** The enclave's side of the air gap as tests need it: it signs what the grader signs and speaks as the courier does. */
export interface TestEnclave {
  /** Says which splits are held: the pocket season's two. */
  holdSplits(wanted?: { readonly id?: string; readonly test?: Sha256 }): Promise<Response>;
  /** A submission of a new team's new entry, as inspection leaves it: queued, with its first order if a split is held. */
  queued(wanted?: { readonly purpose?: Purpose; readonly team?: string }): Promise<QueuedSubmission>;
  /** The order of a submission that came last. */
  lastOrder(submission: string): Promise<SignedOrder>;
  /** A signed report that answers an order; `change` alters what is signed. */
  report(
    order: SignedOrder,
    result: Result,
    change?: Partial<Report>,
  ): Promise<ReportEnvelope & { readonly id: string }>;
  /** Sends a report as the courier. */
  deliver(envelope: ReportEnvelope): Promise<Response>;
  notify(kind: string, facts: Record<string, unknown>, id?: string): Promise<Response>;
  /** Signs the newest checkpoint's tree head. */
  cosign(): Promise<Response>;
  get(path: string): Promise<Response>;
}

/** An order with the text that was signed. */
export interface SignedOrder extends Order {
  readonly jws: string;
}

/** What was made for a queued submission. */
export interface QueuedSubmission {
  readonly id: string;
  readonly team: string;
  readonly entry: string;
  readonly run: string;
  readonly manifest: unknown;
  readonly system: Sha256;
  /** A chunk of the system, whose bytes are in the store. */
  readonly chunk: Sha256;
}

const validationSplit = 'd8e5739576d548a6527de7b2df8227429d39d884278b7d5879a10c01b859fe40';
const tasks = { validation: 100, final: 200 } as const;

/** A scored result of n tasks × 4 trials with `solved` tasks solved in all trials and the others in none. */
export function scored(solved: number, purpose: Purpose = 'final'): Extract<Result, { kind: 'scored' }> {
  const sums = { n: tasks[purpose], k: 4, sumC: solved * 4, sumC2: solved * 16 };
  const { low, high } = metricNamed('avg@4', 4).interval(sums);
  return {
    kind: 'scored',
    metrics: [{ name: 'avg@4', ...sums, low, high }],
    failures: { timeout: '0', turnLimit: '0', truncation: '0', unparsable: '0', empty: '0' },
    totals: { promptTokens: 41_000, cachedTokens: null, generatedTokens: 73_000, replayHours: 0.12 },
    environment: {
      engine: 'llama.cpp',
      engineDigest: sha256Hex('engine'),
      template: sha256Hex('template'),
      flags: 'gpu=false',
      hardware: 'cpu',
      isolation: 'process+uid+netns',
      weights: sha256Hex('weights'),
    },
    retriedTrials: '0',
    flags: [],
  };
}

/** A result that our side failed to give. */
export const ourFailure: Result = { kind: 'failed', fault: 'ours', cause: 'engine' };
/** A result that the system's side failed to give. */
export const systemFailure: Result = { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' };

/** Makes it for a gateway. */
export function testEnclave(gateway: TestGateway): TestEnclave {
  const { deps, clock, grader } = gateway;
  const signing = { [deps.keys.signing.kid]: publicHalf(deps.keys.signing) };
  const post = async (path: string, body: unknown) =>
    gateway.call(await gateway.courierToken(), 'POST', path, body);
  const notify: TestEnclave['notify'] = async (kind, facts, id = newId('notice', deps.random(20))) => {
    const notice = { v: 1, aud: 'vtb-gateway', id, at: clock.at.toISOString(), kind, ...facts };
    return post('/airlock/notices', { notice: await seal('notice', notice, grader) });
  };
  return {
    notify,
    get: async (path) => gateway.call(await gateway.courierToken(), 'GET', path),
    deliver: ({ report, maintainers }) => post('/airlock/reports', { report, maintainers }),
    holdSplits: ({ id, test = sha256Hex('test split') } = {}) =>
      notify('splits', { splits: [held('validation', validationSplit), held('final', test)] }, id),
    queued: (wanted = {}) => makeQueued(wanted, gateway),
    lastOrder: async (submission) => {
      for (const { kind, jws } of (await feedAfter({ after: 0, limit: 1_000 }, deps.db)).reverse()) {
        if (kind !== 'order') continue;
        const { payload } = await unseal('order', jws, orderSchema, signing);
        if (payload.submission === submission) return { ...payload, jws };
      }
      throw new Error(`nothing is ordered for ${submission}`);
    },
    report: async (order, result, change = {}) => {
      const maintainers = 'a sealed part';
      const { grading, gradingNumber, submission, season, track, purpose, system, split, settings } = order;
      const id = newId('report', deps.random(20));
      const report: Report = {
        v: 1,
        aud: 'vtb-gateway',
        id,
        order: order.order,
        ...{ grading, gradingNumber, submission, season, track, purpose, system, split, settings },
        orderDigest: sha256Hex(order.jws),
        hidden: purpose === 'final',
        result,
        attachments: [],
        maintainersPart: sha256Hex(maintainers),
        ...change,
      };
      return { id: report.id, report: await seal('report', report, grader), maintainers };
    },
    cosign: async () => {
      const last = (await feedAfter({ after: 0, limit: 1_000 }, deps.db)).findLast(
        ({ kind }) => kind === 'checkpoint',
      );
      if (last === undefined) throw new Error('no checkpoint was sent');
      const { payload } = await unseal('checkpoint', last.jws, checkpointSchema, signing);
      const head = await unseal('treeHead', payload.head, treeHeadSchema, signing);
      const facts = { season: payload.season, size: head.payload.size };
      return notify('cosignature', { ...facts, head: await seal('treeHead', head.payload, grader) });
    },
  };
}

function held(
  purpose: Purpose,
  split: string,
): Omit<SplitHeld, 'split' | 'commitment'> & Record<string, unknown> {
  const secrecy = purpose === 'final' ? 'secret' : 'visible';
  const commitment = sha256Hex(`salt ${split}`);
  return { season: 'pocket', track: 'wordmath', purpose, split, tasks: tasks[purpose], secrecy, commitment };
}

async function makeQueued(
  { purpose = 'final', team: given }: { readonly purpose?: Purpose; readonly team?: string },
  { deps, clock, owner }: TestGateway,
): Promise<QueuedSubmission> {
  const id = (kind: 'team' | 'entry' | 'run' | 'submission') => newId(kind, deps.random(20));
  const [team, entry, run, submission] = [given ?? id('team'), id('entry'), id('run'), id('submission')];
  const bytes = Buffer.from(`weights of ${submission}`);
  const chunk = sha256Hex(bytes);
  const files = [
    {
      path: 'weights/model.gguf',
      role: 'weights',
      size: bytes.length,
      chunks: [{ sha256: chunk, size: bytes.length }],
    },
  ];
  const manifest = { schema: 1, track: 'wordmath', edits: ['data'], files };
  const system = sha256Hex(canonicalJson(manifest));
  const at = clock.at;
  const startedAt = new Date(at.getTime() - 3_600_000);
  const signal = new AbortController().signal;
  await deps.chunks.put({ sha256: chunk, size: bytes.length, bytes: Readable.from([bytes]), signal });
  await deps.db.transaction(async (tx) => {
    if (given === undefined)
      await tx.insert(teams).values({ id: team, name: `Team ${team.slice(-6)}`, createdAt: at });
    await addEntry(
      {
        id: entry,
        team,
        season: 'pocket',
        agent: `Agent ${entry.slice(-6)}`,
        agentHarness: null,
        createdAt: at,
      },
      tx,
    );
    await tx.insert(runs).values({ id: run, entry, track: 'wordmath', startedAt });
    const row = {
      id: submission,
      run,
      purpose,
      state: 'checking',
      stateAt: at,
      system,
      manifest,
      bytes: bytes.length,
    };
    const commit = { committedAt: at, committedBy: owner.account, committedWith: owner.jti, uploadUntil: at };
    await tx.insert(submissions).values({ ...row, ...commit });
    await tx.insert(submissionChunks).values({ submission, sha256: chunk, size: bytes.length });
    await moveSubmission({ submission, event: 'inspectionPassed', at, actor: 'gateway', reason: null }, tx);
    await orderGrading({ submission, cause: 'first', reason: null, actor: 'gateway', at }, deps, tx);
  });
  return { id: submission, team, entry, run, manifest, system, chunk };
}
