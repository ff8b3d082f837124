import { issuedTokenSchema, meSchema, newTokenSchema, tokenListSchema } from '@vtb/protocol/wire/identity.ts';
import type { Limits, Role, Route } from './frame/route.ts';
import { nothing, route } from './frame/route.ts';
import { deleteToken, getMe, getTokens, postToken } from './routes/identity.ts';

const people: readonly Role[] = ['member', 'maintainer'];

const read: Limits = { bodyBytesMax: 0, perMinute: 1_200 };
const write: Limits = { bodyBytesMax: 65_536, perMinute: 240 };

/**
 * Every route under /api/v1, one a line. The routes themselves, OpenAPI, the access matrix and the rate limits come from
 * this table; a line without its row in the access matrix fails a test.
 */
// biome-ignore format: one route a line
export const routes: readonly Route[] = [
  route({ method: 'POST', path: '/tokens', roles: people, scope: 'manage', body: newTokenSchema, reply: issuedTokenSchema, limits: write, creates: true, action: postToken, summary: 'Issue a token to yourself' }),
  route({ method: 'GET', path: '/tokens', roles: people, scope: 'read', body: nothing, reply: tokenListSchema, limits: read, action: getTokens, summary: 'Your tokens' }),
  route({ method: 'DELETE', path: '/tokens/:jti', roles: people, scope: 'manage', body: nothing, reply: nothing, limits: write, action: deleteToken, summary: 'Revoke a token' }),
  route({ method: 'GET', path: '/me', roles: people, scope: null, body: nothing, reply: meSchema, limits: read, action: getMe, summary: 'Who you are here' }),
];
