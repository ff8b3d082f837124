import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idSchema } from '@vtb/protocol/ids.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { expect, test } from 'vitest';
import { readRunnerConfig } from './config.ts';
import { readEnrolment } from './enrolment.ts';

test('without an address the desk is the one of this data folder; paths are absolute', () => {
  const config = readRunnerConfig({ VTB_DATA: 'some/data' });
  expect(config.desk).toEqual({ kind: 'file', path: join(process.cwd(), 'some/data/grader/desk.url') });
  expect(config.workDir).toBe(join(process.cwd(), 'some/data/runner/work'));
});

test('an unknown sandbox and a wrong address are refused by name', () => {
  expect(() => readRunnerConfig({ VTB_SANDBOX: 'vm', VTB_DESK_URL: 'here' })).toThrow(
    /VTB_DESK_URL[\s\S]*VTB_SANDBOX/,
  );
});

test('a key gives the same runner id every time; a broken file is refused without its content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vtb-k-'));
  try {
    const path = join(folder, 'runner.json');
    writeFileSync(path, JSON.stringify(await newSigningKey()));
    const { runner } = await readEnrolment(path);
    expect(idSchema('runner').safeParse(runner).success).toBe(true);
    expect((await readEnrolment(path)).runner).toBe(runner);
    writeFileSync(path, '{"kid":"k","jwk":{"d":"secret"}}');
    await expect(readEnrolment(path)).rejects.toThrow(/^(?!.*secret).*no private Ed25519 key/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
