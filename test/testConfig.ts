/** What the tests read of the environment, once. */
export interface TestConfig {
  /** `long` under `npm run chaos`. */
  readonly chaos: 'short' | 'long';
  /** Seeded instants at which processes are killed. */
  readonly chaosInstants: number;
}

const chaos = process.env.VTB_CHAOS === 'long' ? 'long' : 'short';

/** Parsed at import: the same for every test of a process. */
export const testConfig: TestConfig = { chaos, chaosInstants: chaos === 'long' ? 50 : 8 };
