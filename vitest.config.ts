import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{protocol,seasons,db,gateway,grader,runners,cli,deploy,site,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '.vtb/**'],
    globalSetup: ['test/globalSetup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
