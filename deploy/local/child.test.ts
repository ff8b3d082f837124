import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { superviseChild } from './child.ts';

const folder = await mkdtemp(join(tmpdir(), 'vtb-child-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, code: string): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, code);
  return path;
}

const lines = (name: string) =>
  readFile(join(folder, name), 'utf8').then(
    (text) => text.split('\n').filter((line) => line !== ''),
    () => [],
  );
const write = (name: string, text: string) =>
  `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(join(folder, name))}, ${text} + '\\n');`;
const forever = 'setInterval(() => undefined, 60_000);';

test('a killed process comes back, and stop ends it for good', async () => {
  const path = await script('steady', `${write('steady', 'String(process.pid)')} ${forever}`);
  const child = superviseChild({ name: 'steady', script: path, args: [], restart: 'always', env: {} });
  await expect.poll(() => lines('steady'), { timeout: 10_000 }).toHaveLength(1);
  process.kill(Number((await lines('steady'))[0]), 'SIGKILL');
  await expect.poll(() => lines('steady'), { timeout: 10_000 }).toHaveLength(2);
  await child.stop();
  const last = Number((await lines('steady')).at(-1));
  expect(() => process.kill(last, 0)).toThrow(/ESRCH/);
});

test('a process that ends at once, again and again, is reported as a crash loop', async () => {
  const path = await script('broken', 'process.exit(3);');
  await using child = superviseChild({ name: 'broken', script: path, args: [], restart: 'always', env: {} });
  expect(await child.crashLoop).toMatch(/broken ended 4 times in a row \(code 3\)/);
});

test('a process with an end of its own is not started again after code 0', async () => {
  const path = await script('once', write('once', '"ran"'));
  const child = superviseChild({ name: 'once', script: path, args: [], restart: 'onFailure', env: {} });
  await expect.poll(() => lines('once'), { timeout: 10_000 }).toEqual(['ran']);
  await child.stop();
  expect(await lines('once')).toEqual(['ran']);
});

test('a process that ignores SIGTERM is ended by force within seconds', async () => {
  const path = await script(
    'deaf',
    `process.on('SIGTERM', () => undefined); ${write('deaf', 'String(process.pid)')} ${forever}`,
  );
  const child = superviseChild({ name: 'deaf', script: path, args: [], restart: 'always', env: {} });
  await expect.poll(() => lines('deaf'), { timeout: 10_000 }).toHaveLength(1);
  await child.stop();
  const pid = Number((await lines('deaf'))[0]);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

test('a process sees nothing of the environment but what it was given', async () => {
  const path = await script('env', write('env', 'JSON.stringify(Object.keys(process.env).sort())'));
  await using _child = superviseChild({
    name: 'env',
    script: path,
    args: [],
    restart: 'onFailure',
    env: { ONLY: 'this' },
  });
  await expect.poll(() => lines('env'), { timeout: 10_000 }).toEqual(['["ONLY"]']);
});
