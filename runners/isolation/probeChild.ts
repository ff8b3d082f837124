import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

/**
 * What a probe's child tells about itself; run as its own process with one JSON argument
 * `{port, host, secretPath, readOnlyFile, writableDir}` and one JSON line as answer.
 */
const input = JSON.parse(process.argv[2] ?? '{}');

const report = {
  uid: process.getuid?.() ?? -1,
  status: attempt(() => readFileSync('/proc/self/status', 'utf8')),
  net: attempt(() => readFileSync('/proc/self/net/dev', 'utf8')),
  secret: attempt(() => readFileSync(input.secretPath, 'utf8')),
  wroteReadOnly: attempt(() => writeFileSync(input.readOnlyFile, 'x')) !== null,
  wroteOwn: attempt(() => writeFileSync(join(input.writableDir, 'probe'), '')) !== null,
  environment: variableNames(),
  connected: await reaches(input.host, input.port),
};
process.stdout.write(`${JSON.stringify(report)}\n`);

/** From the kernel: what was handed over at the start, not what the program made of it. */
function variableNames(): readonly string[] {
  const text = attempt(() => readFileSync('/proc/self/environ', 'utf8')) ?? '';
  return text.split('\0').flatMap((line) => (line === '' ? [] : [line.split('=')[0] ?? '']));
}

function attempt<T>(work: () => T): T | 'done' | null {
  try {
    return work() ?? 'done';
  } catch {
    return null;
  }
}

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}
