import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, test } from 'vitest';
import { chunkStoreConformance } from './conformance.ts';
import { intakeDefaults, openIntake } from './intake.ts';
import { openS3Store } from './s3.ts';

const enable = 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0';
/** On the PATH, or where `go install` puts it. */
const versitygw = [
  ...(process.env.PATH ?? '').split(delimiter),
  process.env.GOBIN ?? join(homedir(), 'go/bin'),
]
  .map((folder) => join(folder, 'versitygw'))
  .find((path) => existsSync(path));

if (versitygw === undefined)
  describe('chunk store s3', () => {
    test.skip(`keeps what a chunk store promises (skipped: needs versitygw (enable with: ${enable}))`, () => {});
  });
else {
  const root = await mkdtemp(join(tmpdir(), 'vtb-s3-'));
  const intake = openIntake(intakeDefaults);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: 'vtb', secretAccessKey: randomBytes(16).toString('hex') };
  const server = await start(versitygw);
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
    await intake[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });

  // The server's buckets are folders of its root.
  chunkStoreConformance('s3 (versitygw)', async () => {
    const bucket = `vtb-${randomBytes(6).toString('hex')}`;
    await mkdir(join(root, bucket));
    return openS3Store({ endpoint, region: 'us-east-1', bucket, ...keys }, { intake });
  });

  async function start(program: string): Promise<ChildProcess> {
    const { accessKeyId, secretAccessKey } = keys;
    const listen = ['--access', accessKeyId, '--secret', secretAccessKey, '--port', `127.0.0.1:${port}`];
    const child = spawn(program, [...listen, 'posix', root], { stdio: 'ignore' });
    for (let tries = 0; tries < 200; tries++) {
      if (
        await fetch(endpoint).then(
          () => true,
          () => false,
        )
      )
        return child;
      await delay(50);
    }
    throw new Error('versitygw did not start');
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
