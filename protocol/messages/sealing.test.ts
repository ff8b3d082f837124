import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newSigningKey } from './keys.ts';
import { publicHalf, type SigningKey, seal, type TrustedKeys, unseal } from './sealing.ts';

const schema = z.strictObject({ aud: z.literal('vtb-grader'), value: z.int() });
let key: SigningKey;
let other: SigningKey;
let trusted: TrustedKeys;

beforeAll(async () => {
  key = await newSigningKey();
  other = await newSigningKey();
  trusted = { [key.kid]: publicHalf(key) };
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const refused = (jws: string) =>
  expect(unseal('order', jws, schema, trusted)).rejects.toMatchObject({ code: 'message.invalid' });

describe('sealing', () => {
  test('what was sealed opens to the same payload, and sealing is deterministic', async () => {
    const jws = await seal('order', { value: 7, aud: 'vtb-grader' }, key);
    expect(await seal('order', { aud: 'vtb-grader', value: 7 }, key)).toBe(jws);
    expect(await unseal('order', jws, schema, trusted)).toEqual({
      payload: { aud: 'vtb-grader', value: 7 },
      kid: key.kid,
    });
  });

  test('another kind, another receiver, an unknown field or a foreign key is refused', async () => {
    await refused(await seal('cancel', { aud: 'vtb-grader', value: 7 }, key));
    await refused(await seal('order', { aud: 'vtb-gateway', value: 7 }, key));
    await refused(await seal('order', { aud: 'vtb-grader', value: 7, extra: 1 }, key));
    await refused(await seal('order', { aud: 'vtb-grader', value: 7 }, other));
  });

  test('a foreign key under a trusted id is refused', async () => {
    await refused(await seal('order', { aud: 'vtb-grader', value: 7 }, { kid: key.kid, jwk: other.jwk }));
  });

  test('no bit of a message can change', async () => {
    const jws = await seal('order', { aud: 'vtb-grader', value: 7 }, key);
    for (let index = 0; index < jws.length; index += 3) {
      const swapped = jws[index] === 'A' ? 'B' : 'A';
      const altered = jws.slice(0, index) + swapped + jws.slice(index + 1);
      // The last character of base64url may carry unused bits; a decoder that ignores them reads the same bytes.
      if (index === jws.length - 1) continue;
      await refused(altered);
    }
    await refused(jws.slice(0, -4));
    await refused('');
  });

  test('no algorithm but ours: none, HS256 with the public key as secret, an embedded key', async () => {
    const payload = encode({ aud: 'vtb-grader', value: 7 });
    const typ = 'vtb-order+jws';
    await refused(`${encode({ alg: 'none', typ, kid: key.kid })}.${payload}.`);
    await refused(`${encode({ alg: 'HS256', typ, kid: key.kid })}.${payload}.${encode('x')}`);
    await refused(
      `${encode({ alg: 'EdDSA', typ, jwk: publicHalf(other), kid: other.kid })}.${payload}.${encode('x')}`,
    );
    await refused(`${encode({ alg: 'EdDSA', typ, kid: '__proto__' })}.${payload}.${encode('x')}`);
  });

  test('a message over the bound is refused before it is parsed', async () => {
    await expect(unseal('order', 'x'.repeat(101), schema, trusted, 100)).rejects.toMatchObject({
      code: 'message.invalid',
    });
  });
});
