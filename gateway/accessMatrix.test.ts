import { describe, expect, test } from 'vitest';
import { routes } from './app.ts';
import type { Route } from './frame/route.ts';
import { commit, madeSystem, newContest } from './testing/contest.ts';
import { testGateway } from './testing/testGateway.ts';

const gateway = await testGateway();
const ours = await newContest(gateway);
const system = madeSystem();
const committed = await commit(gateway, {
  token: ours.member.token,
  run: ours.run,
  purpose: 'validation',
  system,
});
const stranger = (await newContest(gateway)).owner;

/** Who knocks, in the order of the matrix's columns. `stranger` owns another team; `maintainer` belongs to none. */
const callers = ['visitor', 'stranger', 'member', 'owner', 'maintainer', 'grader'] as const;
type Caller = (typeof callers)[number];

const maintainer = await gateway.person({ maintainer: true });
const tokens: Readonly<Record<Caller, string | null>> = {
  visitor: null,
  stranger: stranger.token,
  member: ours.member.token,
  owner: ours.owner.token,
  maintainer: maintainer.token,
  grader: await gateway.courierToken(),
};

/**
 * The status each caller gets for an empty request about our team's things: 400 is a caller let through to a body that
 * isn't there, 404 somebody who may not see it, 403 somebody who may see it and not do it.
 */
// biome-ignore format: one route a line
const matrix: Readonly<Record<string, readonly number[]>> = {
  //                                                     visitor stranger member owner maintainer grader
  'POST /tokens':                                          [401, 400, 400, 400, 400, 403],
  'GET /tokens':                                           [401, 200, 200, 200, 200, 403],
  'DELETE /tokens/:jti':                                   [401, 404, 404, 404, 404, 403],
  'GET /me':                                               [401, 200, 200, 200, 200, 403],
  'GET /teams':                                            [401, 200, 200, 200, 200, 403],
  'POST /teams':                                           [401, 403, 403, 403, 400, 403],
  'GET /teams/:id':                                        [401, 404, 200, 200, 200, 404],
  'POST /teams/:id/members':                               [401, 404, 403, 400, 400, 404],
  'GET /teams/:id/tokens':                                 [401, 404, 403, 200, 200, 404],
  'DELETE /teams/:id/tokens/:jti':                         [401, 404, 403, 404, 404, 404],
  'GET /entries':                                          [401, 200, 200, 200, 200, 403],
  'POST /entries':                                         [401, 400, 400, 400, 400, 403],
  'GET /entries/:id':                                      [404, 404, 200, 200, 200, 404],
  'POST /entries/:id/runs':                                [401, 404, 400, 400, 403, 404],
  'GET /runs/:id':                                         [401, 404, 200, 200, 200, 404],
  'POST /runs/:id/finish':                                 [401, 404, 200, 200, 403, 404],
  'POST /runs/:id/log':                                    [401, 404, 400, 400, 403, 404],
  'GET /runs/:id/log':                                     [401, 404, 200, 200, 200, 404],
  'GET /quota':                                            [401, 400, 400, 400, 400, 403],
  'GET /runs/:id/submissions':                             [401, 404, 200, 200, 200, 404],
  'POST /runs/:id/submissions':                            [401, 404, 400, 400, 403, 404],
  'GET /submissions/:id':                                  [401, 404, 200, 200, 200, 404],
  'GET /submissions/:id/missing':                          [401, 404, 200, 200, 200, 404],
  'PUT /submissions/:id/chunks/:sha256':                   [401, 404, 404, 404, 403, 404],
  'POST /submissions/:id/seal':                            [401, 404, 409, 409, 403, 404],
  'GET /submissions/:id/events':                           [404, 404, 200, 200, 200, 404],
  'GET /submissions/:id/feedback':                         [401, 404, 409, 409, 409, 404],
  'POST /submissions/:id/withdraw':                        [401, 404, 400, 400, 403, 404],
  'DELETE /submissions/:id/weights':                       [401, 404, 409, 409, 403, 404],
  'GET /seasons':                                          [200, 200, 200, 200, 200, 200],
  'GET /seasons/:id/board':                                [404, 404, 404, 404, 404, 404],
  'GET /seasons/:id/tracks/:track/rules':                  [404, 404, 404, 404, 404, 404],
  'GET /receipts/:id':                                     [404, 404, 404, 404, 404, 404],
  'GET /comparisons/:track':                               [400, 400, 400, 400, 400, 400],
  'GET /log':                                              [400, 400, 400, 400, 400, 400],
  'GET /airlock/feed':                                     [401, 403, 403, 403, 403, 200],
  'GET /airlock/orders/:id/chunks/:sha256':                [401, 403, 403, 403, 403, 404],
  'POST /airlock/reports':                                 [401, 403, 403, 403, 403, 400],
  'PUT /airlock/reports/:id/attachments/:sha256':          [401, 403, 403, 403, 403, 404],
  'POST /airlock/notices':                                 [401, 403, 403, 403, 403, 400],
  'POST /airlock/comparisons':                             [401, 403, 403, 403, 403, 400],
  'POST /admin/submissions/:id/regrade':                   [401, 404, 403, 403, 400, 404],
  'GET /admin/queue':                                      [401, 403, 403, 403, 200, 403],
  'GET /admin/audit':                                      [401, 403, 403, 403, 200, 403],
};

const ids = { team: ours.team, entry: ours.entry, run: ours.run, submission: committed.id } as const;

function pathOf(route: Route, id = route.about === undefined ? 'none' : ids[route.about]): string {
  return route.path.replace(':id', id).replace(':jti', 'none').replace(':sha256', '0'.repeat(64));
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

async function statusOf(token: string | null, route: Route): Promise<number> {
  const response = await gateway.call(token, route.method, pathOf(route));
  await response.body?.cancel();
  return response.status;
}

test('every route has its row in the matrix, and every row its route', () => {
  expect(Object.keys(matrix).sort()).toEqual(routes.map(nameOf).sort());
});

/** A test where a route has what it is about; nothing elsewhere, not even a skip. */
const testIf = (applies: boolean) => (applies ? test : () => undefined);

describe.each(routes.map((route) => ({ route, name: nameOf(route) })))('$name', ({ route, name }) => {
  test('answers each role as the matrix says', async () => {
    const answered: Record<string, number> = {};
    for (const caller of callers) answered[caller] = await statusOf(tokens[caller], route);
    expect(answered).toEqual(
      Object.fromEntries(callers.map((caller, column) => [caller, matrix[name]?.[column]])),
    );
  });

  testIf(route.about !== undefined)(
    'hides what a stranger may not see behind the answer for what is not there',
    async () => {
      const shown = async (id: string | undefined) => {
        const response = await gateway.call(stranger.token, route.method, pathOf(route, id));
        const { requestId, ...problem } = await response.json();
        expect(requestId).toMatch(/^req_/);
        return { status: response.status, problem, headers: [...response.headers.keys()].sort() };
      };
      expect(await shown(undefined)).toEqual(
        await shown(ids[route.about ?? 'team'].replace(/_.*/, `_${'z'.repeat(20)}`)),
      );
    },
  );

  testIf(route.scope !== null)('refuses a token without its scope', async () => {
    const others = (['submit', 'read', 'manage'] as const).filter((scope) => scope !== route.scope);
    const narrow = await gateway.person({ maintainer: true, team: ours.team, role: 'owner', scopes: others });
    const response = await gateway.call(narrow.token, route.method, pathOf(route));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'token.scope' });
  });

  testIf(!route.roles.includes('grader') || !route.roles.includes('visitor'))(
    'refuses a revoked token',
    async () => {
      const gone = await gateway.person({ maintainer: true, team: ours.team, role: 'owner' });
      await gateway.call(gone.token, 'DELETE', `/tokens/${gone.jti}`);
      expect(await statusOf(gone.token, route)).toBe(401);
    },
  );
});
