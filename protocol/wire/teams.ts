import { z } from 'zod';
import { idSchema, instantSchema } from '../ids.ts';
import { issuedTokenSchema } from './identity.ts';

/** A name that people read: NFC, no control or invisible characters, 1–80 characters after trimming. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .refine(
    (name) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u.test(name),
    'control or invisible characters are not allowed',
  )
  .transform((name) => name.normalize('NFC'));

/** POST /teams. */
export const newTeamSchema = z.strictObject({ name: displayNameSchema });

export const teamSchema = z.object({
  id: idSchema('team'),
  name: z.string(),
  createdAt: instantSchema,
  members: z.array(
    z.object({ account: idSchema('account'), name: z.string(), role: z.enum(['owner', 'member']) }),
  ),
});
export type Team = z.infer<typeof teamSchema>;

/** POST /teams/:id/members: a new person with a first token, given by a team's owner. */
export const newMemberSchema = z.strictObject({ name: displayNameSchema, role: z.enum(['owner', 'member']) });
export type NewTeam = z.infer<typeof newTeamSchema>;
export type NewMember = z.infer<typeof newMemberSchema>;

/** Answer of POST /teams/:id/members: the token is shown this once. */
export const addedMemberSchema = z.object({
  account: idSchema('account'),
  name: z.string(),
  role: z.enum(['owner', 'member']),
  token: issuedTokenSchema,
});
export type AddedMember = z.infer<typeof addedMemberSchema>;

/** GET /teams: those the caller belongs to; all of them for maintainers. */
export const teamListSchema = z.object({ teams: z.array(teamSchema) });
export type TeamList = z.infer<typeof teamListSchema>;
