import { expect, test } from 'vitest';
import { idleFailure } from './idleFailure.ts';

test('an engine that ends after each warm-up is ours only where the calibration system ends too', async () => {
  expect((await idleFailure({ blame: async () => 'system' })).result).toEqual({
    kind: 'failed',
    fault: 'system',
    cause: 'weightsUnloadable',
  });
  expect((await idleFailure({ blame: async () => 'ours' })).result).toMatchObject({ fault: 'ours' });
});
