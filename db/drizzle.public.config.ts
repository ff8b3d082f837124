import { defineConfig } from 'drizzle-kit';

/** `npx drizzle-kit generate --config db/drizzle.public.config.ts` from the repository's root. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './db/public/schema.ts',
  out: './db/public/migrations',
});
