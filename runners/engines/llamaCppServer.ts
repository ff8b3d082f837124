import { chmodSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createAdaptorServer } from '@hono/node-server';
import { type ServerMessage, serverConfig } from './serverProtocol.ts';
import { completionApp } from './serving/completionApp.ts';
import { loadLlama } from './serving/llamaGenerator.ts';

/**
 * The process that loads weights and serves them: the only one that hostile weights can hurt.
 *
 * stdin: one JSON line of configuration, then open for as long as the engine shall live.
 * stdout: one JSON line, `ready` or `refused`. Nothing else is written to it.
 */
const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
lines.once('line', (line) => {
  serve(line).catch((error: unknown) => {
    tell({
      kind: 'refused',
      message: error instanceof Error ? error.message.slice(0, 500) : 'unknown error',
    });
    process.exit(3);
  });
});
lines.once('close', () => process.exit(0));

async function serve(line: string): Promise<void> {
  const config = serverConfig.parse(JSON.parse(line));
  const generator = await loadLlama(config.weightsPath, config.settings);
  const app = completionApp(generator, config.settings);
  const server = createAdaptorServer({ fetch: app.fetch });
  // One caller keeps its connections; closing an idle one could race with its next request.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.socketPath, resolve);
  });
  // The folder decides who gets here; its group is the proxy's.
  chmodSync(config.socketPath, 0o660);
  tell({ kind: 'ready' });
}

function tell(message: ServerMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
