import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import type { Environment } from '@vtb/protocol/messages/report.ts';
import { publicHalf, type SigningKey, type TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import {
  type ClaimedTrial,
  claimReplySchema,
  deskPaths,
  deskTaskSchema,
  leaseReplySchema,
  type ReplayLease,
} from '@vtb/protocol/wire/desk.ts';
import { importJWK, SignJWT } from 'jose';
import { newDesk } from './desk/desk.ts';
import type { Enclave } from './enclave.ts';

/** A desk in memory: the real app, asked without a socket. */
export function testDesk(enclave: Enclave) {
  const keys: Record<string, TrustedKeys[string]> = {};
  const app = newDesk({ enclave, runnerKeys: async () => keys, stopping: new AbortController().signal });
  return {
    app,
    /** A runner whose key is enrolled. */
    enrol: async (): Promise<TestRunner> => {
      const key = await newSigningKey();
      keys[key.kid] = publicHalf(key);
      return new TestRunner(app, enclave, key, newId('runner', randomBytes(20)));
    },
  };
}

/** What every test replay says it runs. */
export const testEnvironment: Environment = {
  engine: 'llama.cpp test',
  engineDigest: sha256Hex('engine'),
  template: sha256Hex('template'),
  flags: 'threads=1',
  hardware: 'test',
  isolation: 'process+uid+netns',
  weights: sha256Hex('weights'),
};

/** A runner as the desk sees one. */
export class TestRunner {
  readonly app: ReturnType<typeof newDesk>;
  readonly enclave: Enclave;
  readonly key: SigningKey;
  readonly id: string;

  constructor(app: ReturnType<typeof newDesk>, enclave: Enclave, key: SigningKey, id: string) {
    this.app = app;
    this.enclave = enclave;
    this.key = key;
    this.id = id;
  }

  /** A token; `changes` make a wrong one. */
  async token(
    changes: { aud?: string; typ?: string; sub?: string; seconds?: number; age?: number } = {},
  ): Promise<string> {
    const now = Math.floor(this.enclave.now().getTime() / 1000) - (changes.age ?? 0);
    return new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA', typ: changes.typ ?? 'vtb-runner+jwt', kid: this.key.kid })
      .setAudience(changes.aud ?? 'vtb-desk')
      .setSubject(changes.sub ?? this.id)
      .setIssuedAt(now)
      .setExpirationTime(now + (changes.seconds ?? 120))
      .sign(await importJWK(this.key.jwk, 'EdDSA'));
  }

  /** Sends a request with a good token. */
  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    return this.app.request(path, {
      method,
      headers: { authorization: `Bearer ${await this.token()}` },
      ...(body === undefined
        ? {}
        : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
    });
  }

  async lease(): Promise<ReplayLease | null> {
    const capabilities = {
      engines: ['llama.cpp'],
      drivers: ['prompt'],
      isolation: 'process+uid+netns',
      hardware: 'test',
    };
    const response = await this.ask('POST', deskPaths.lease(), { capabilities, waitSeconds: 0 });
    if (response.status !== 200) throw new Error(`lease: ${response.status} ${await response.text()}`);
    return leaseReplySchema.parse(await response.json()).replay;
  }

  /** A lease that must be there. */
  async mustLease(): Promise<ReplayLease> {
    const replay = await this.lease();
    if (replay === null) throw new Error('nothing to lease');
    return replay;
  }

  async claim(replay: ReplayLease, room: number, environment: Environment = testEnvironment) {
    const response = await this.ask('POST', deskPaths.claim(replay.replay), {
      fencing: replay.fencing,
      room,
      environment,
    });
    if (response.status !== 200) throw new Error(`claim: ${response.status} ${await response.text()}`);
    return claimReplySchema.parse(await response.json());
  }

  async problem(trial: ClaimedTrial): Promise<string> {
    const response = await this.ask('GET', deskPaths.task(trial.trial, trial.fencing));
    if (response.status !== 200) throw new Error(`task: ${response.status} ${await response.text()}`);
    return deskTaskSchema.parse(await response.json()).problem;
  }

  async answer(trial: ClaimedTrial, output: string, generatedTokens = 7): Promise<Response> {
    const usage = { promptTokens: 11, cachedTokens: null, generatedTokens };
    const outcome = { kind: 'answered', end: 'stop', output, reasoning: null, usage, durationMs: 5 };
    return this.ask('PUT', deskPaths.outcome(trial.trial), { fencing: trial.fencing, outcome });
  }

  async failTrial(trial: ClaimedTrial, fault: 'ours' | 'system'): Promise<Response> {
    const usage = { promptTokens: null, cachedTokens: null, generatedTokens: null };
    return this.ask('PUT', deskPaths.outcome(trial.trial), {
      fencing: trial.fencing,
      outcome: { kind: 'failed', fault, phase: 'serve', usage, durationMs: 1 },
    });
  }

  async finish(replay: ReplayLease, result: unknown = { kind: 'done' }): Promise<Response> {
    return this.ask('POST', deskPaths.finish(replay.replay), {
      fencing: replay.fencing,
      result,
      engineMs: 3_600_000,
    });
  }

  /** Works a whole replay; `solve` gives the output for a problem. */
  async work(solve: (problem: string) => string | Promise<string>): Promise<ReplayLease> {
    const replay = await this.mustLease();
    for (;;) {
      const { trials, left } = await this.claim(replay, 7);
      for (const trial of trials) {
        const answered = await this.answer(trial, await solve(await this.problem(trial)));
        if (answered.status !== 200) throw new Error(`outcome: ${answered.status} ${await answered.text()}`);
      }
      if (trials.length === 0 || left === 'none') break;
    }
    await this.finish(replay);
    return replay;
  }
}
