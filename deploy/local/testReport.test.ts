import { expect, test } from 'vitest';
import { countsLine, countTests } from './testReport.ts';

const rules = { allowedSkips: { 'an NVIDIA GPU': 'hardware' }, fullSetup: true, exitCode: 0 };
const passed = { fullName: 'adds', status: 'passed' };
const failed = { fullName: 'subtracts', status: 'failed' };
const gpu = {
  fullName: 'serves skipped: needs an NVIDIA GPU (enable with: a host that has one)',
  status: 'skipped',
};
const docker = {
  fullName: 'boxes skipped: needs Docker (enable with: apt-get install docker.io)',
  status: 'skipped',
};
const todo = { fullName: 'some day', status: 'todo' };

function report(...tests: readonly { readonly fullName: string; readonly status: string }[]): unknown {
  const status = tests.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  return { testResults: [{ name: 'a.test.ts', status, assertionResults: tests }] };
}

test('passed, failed and allowed skips are counted as what they are', () => {
  const counts = countTests(report(passed, failed, gpu), { ...rules, exitCode: 1 });
  expect(countsLine(counts)).toBe('1 passed, 1 failed, 1 skipped');
  expect(counts.complaints).toEqual([]);
});

test('on a full set-up a skip for something that can be set up is a failure', () => {
  expect(countsLine(countTests(report(passed, docker), rules))).toBe('1 passed, 1 failed, 0 skipped');
});

test('elsewhere such a skip is a skip', () => {
  const counts = countTests(report(passed, docker), { ...rules, fullSetup: false });
  expect(countsLine(counts)).toBe('1 passed, 0 failed, 1 skipped');
});

test('a skip without a stated need is a failure everywhere', () => {
  const counts = countTests(report(passed, todo), { ...rules, fullSetup: false });
  expect(countsLine(counts)).toBe('1 passed, 1 failed, 0 skipped');
});

test('a file that fails before its first test is a failure', () => {
  const broken = {
    testResults: [{ name: 'b.test.ts', status: 'failed', message: 'x', assertionResults: [] }],
  };
  expect(countTests(broken, { ...rules, exitCode: 1 })).toMatchObject({
    failed: 1,
    complaints: ['b.test.ts failed as a whole'],
  });
});

test('an error outside of any test is a failure', () => {
  expect(countTests(report(passed), { ...rules, exitCode: 1 }).failed).toBe(1);
});
