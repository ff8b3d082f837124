import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excludeTasks } from './excludeTasks.ts';

const split = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 }).chain((tasks) =>
  fc.record({
    tasks: fc.constant(tasks),
    counts: fc.array(fc.nat(4), { minLength: tasks.length, maxLength: tasks.length }),
    out: fc.subarray(tasks),
  }),
);

it('leaves out exactly the named tasks with their counts, twice as once, and says that the set changed', () => {
  fc.assert(
    fc.property(split, ({ tasks, counts, out }) => {
      const left = excludeTasks({ tasks, counts }, [...out, ...out]);
      const pairs = tasks.map((task, i) => [task, counts[i]]).filter(([task]) => !out.includes(String(task)));
      expect(left.tasks.map((task, i) => [task, left.counts[i]])).toEqual(pairs);
      expect(left.newVersion).toBe(out.length > 0);
    }),
  );
});

it('a name that is not in the split and lists of different length are refused', () => {
  expect(() => excludeTasks({ tasks: ['a'], counts: [1] }, ['b'])).toThrow(/b isn't in the split/);
  expect(() => excludeTasks({ tasks: ['a', 'b'], counts: [1] }, [])).toThrow(RangeError);
});
