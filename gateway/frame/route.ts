import type { Readable } from 'node:stream';
import type { Db } from '@vtb/db/public/connect.ts';
import type { Subject, SubjectKind } from '@vtb/db/public/subjects.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Scope } from '@vtb/protocol/wire/identity.ts';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { Caller } from '../identity/caller.ts';
import { zodProblems } from './zodProblems.ts';

/** Who a caller can be towards what a route is about. `member` is any person where it is about nothing. */
export const roles = ['visitor', 'member', 'owner', 'maintainer', 'grader'] as const;
export type Role = (typeof roles)[number];

/** Bounds of a route: bytes of its body, and calls a minute by one token (or one address without a token). */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly perMinute: number;
}

/** The request as it came, for routes that stream. */
export interface RawRequest {
  readonly header: (name: string) => string | undefined;
  /** The body's bytes; read at most once. */
  readonly bytes: () => Readable;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

/** One call of a route, after everything that the frame checks. */
export interface Call<Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Body;
  /** What the path's `:id` names, which this caller may see and act on; null for routes about nothing. */
  readonly subject: Subject | null;
  readonly at: Date;
  readonly requestId: string;
  readonly raw: RawRequest;
}

/**
 * What a route does: a reply that fits the route's schema, or a Response where it streams.
 * `tx` is the call's transaction; for GET and streaming routes the pool.
 */
export type Action<Body, Reply> = (call: Call<Body>, deps: Deps, tx: Db) => Promise<Reply | Response>;

interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under /api/v1, with `:name` parameters. */
  readonly path: string;
  readonly roles: readonly Role[];
  /** What a person's token must be good for; null: any token. */
  readonly scope: Scope | null;
  /** What `:id` names; the frame finds it and the caller's role towards it. */
  readonly about?: SubjectKind;
  readonly limits: Limits;
  /** Takes an Idempotency-Key and answers 201. */
  readonly creates?: true;
  /** The body is not read by the frame, and no transaction is held while it comes. */
  readonly streams?: true;
  /** Also open to the ended token that committed the submission, until its grace ends. */
  readonly outlives?: true;
  readonly summary: string;
}

/** A line of the route table. */
export interface RouteSpec<Body, Reply> extends RouteFacts {
  readonly body: z.ZodType<Body>;
  readonly reply: z.ZodType<unknown, Reply>;
  readonly action: Action<Body, Reply>;
}

/** A line of the route table as the frame mounts it. */
export interface Route extends RouteFacts {
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
  /** Checks the body, acts, and checks the reply. */
  readonly run: (call: Call<unknown>, deps: Deps, tx: Db) => Promise<unknown>;
}

/** The body of routes without one; an empty object is as good. */
export const nothing = z.union([z.null(), z.strictObject({})]).transform(() => null);

/** The reply of routes that stream. */
export const stream = z.never();

/** Makes a line of the table: body, action and reply have to fit each other. */
export function route<Body, Reply>(spec: RouteSpec<Body, Reply>): Route {
  const { action, ...facts } = spec;
  return {
    ...facts,
    run: async (call, deps, tx) => {
      const body = spec.body.safeParse(call.body);
      if (!body.success)
        throw new Refusal(
          'request.invalid',
          'the body is not what this route takes',
          zodProblems(body.error),
        );
      const reply = await action({ ...call, body: body.data }, deps, tx);
      return reply instanceof Response ? reply : spec.reply.parse(reply);
    },
  };
}
