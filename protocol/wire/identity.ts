import { z } from 'zod';
import { idSchema, instantSchema } from '../ids.ts';

export const scopes = ['submit', 'read', 'manage'] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = z.infer<typeof scopeSchema>;

/** Longest life of a token. */
export const tokenDaysMax = 90;

/** POST /tokens: a token for the caller, for a team the caller may act for. */
export const newTokenSchema = z.strictObject({
  team: idSchema('team').nullable(),
  scopes: z.array(scopeSchema).min(1).max(3),
  label: z.string().trim().min(1).max(80),
  days: z.int().min(1).max(tokenDaysMax),
});
export type NewToken = z.infer<typeof newTokenSchema>;

export const tokenSummarySchema = z.object({
  jti: z.string(),
  label: z.string(),
  team: idSchema('team').nullable(),
  scopes: z.array(scopeSchema),
  issuedAt: instantSchema,
  expiresAt: instantSchema,
  revokedAt: instantSchema.nullable(),
});
export const issuedTokenSchema = tokenSummarySchema.extend({ token: z.string() });
export type IssuedToken = z.infer<typeof issuedTokenSchema>;

/** GET /me. */
export const meSchema = z.object({
  account: z.object({ id: idSchema('account'), name: z.string() }),
  maintainer: z.boolean(),
  token: tokenSummarySchema,
  teams: z.array(z.object({ id: idSchema('team'), name: z.string(), role: z.enum(['owner', 'member']) })),
});
export type Me = z.infer<typeof meSchema>;

/** GET /tokens and GET /teams/:id/tokens. */
export const tokenListSchema = z.object({ tokens: z.array(tokenSummarySchema) });
export type TokenList = z.infer<typeof tokenListSchema>;
