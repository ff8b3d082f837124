import { defineConfig } from 'drizzle-kit';

/** `npx drizzle-kit generate --config db/drizzle.vault.config.ts` from the repository's root. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './db/vault/schema.ts',
  out: './db/vault/migrations',
});
