import { trackRulesSchema } from '@vtb/protocol/wire/trackRules.ts';
import { trackRules } from '@vtb/seasons/trackRules.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const get = (path: string, headers = {}) => gateway.call(null, 'GET', path, undefined, headers);

test('a track’s rules are what the gateway inspects by, with the terms that a team accepts', async () => {
  const response = await get('/seasons/pocket/tracks/wordmath/rules');
  expect(response.status).toBe(200);
  const rules = z.strictObject(trackRulesSchema.shape).parse(await response.json());
  const loaded = gateway.deps.seasons.get('pocket');
  const [track] = loaded?.season.tracks ?? [];
  if (loaded === undefined || track === undefined) throw new Error('no pocket season');
  expect(rules).toMatchObject(trackRules(loaded, track));
  expect(rules.terms.sha256).toBe(loaded.season.terms.sha256);
  expect(rules.terms.text).toContain('#');
});

test('they are known again by their ETag', async () => {
  const path = '/seasons/pocket/tracks/wordmath/rules';
  const etag = (await get(path)).headers.get('etag') ?? '';
  const again = await get(path, { 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('a track or season that is not there is told', async () => {
  expect(await (await get('/seasons/nothing/tracks/wordmath/rules')).json()).toMatchObject({
    code: 'season.unknown',
  });
  expect(await (await get('/seasons/pocket/tracks/nothing/rules')).json()).toMatchObject({
    code: 'track.unknown',
    detail: expect.stringContaining('it has wordmath'),
  });
});
