import { chmodSync } from 'node:fs';
import type { Server } from 'node:http';
import { createInterface } from 'node:readline';
import { engineCalls } from './engineCall.ts';
import { modelDoor } from './modelDoor.ts';
import { type ProxyEvent, proxyCommand, proxyConfig } from './proxyProtocol.ts';
import { trialTable } from './trialTable.ts';

/**
 * The model proxy's process, one per replay. It holds the engine's socket, the track's settings and the trials'
 * tokens; nothing else of the runner is in it.
 *
 * stdin: one JSON line of configuration, then commands; its end ends the process.
 * stdout: events, one JSON line each (pipes are written synchronously, so a record never trails its answer).
 */
const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })[
  Symbol.asyncIterator
]();
const first = await lines.next();
if (first.done) process.exit(0);
const config = proxyConfig.parse(JSON.parse(first.value));
const trials = trialTable((usage) => tell({ kind: 'usage', ...usage }));
const engine = engineCalls(config);
const door = modelDoor(config, { trials, call: engine.call });
await listen(door, config.listenSocket);
chmodSync(config.listenSocket, 0o660);
let port: number | null = null;
if (config.listenPort !== null) {
  const tcp = modelDoor(config, { trials, call: engine.call });
  await listen(tcp, { port: config.listenPort, host: '127.0.0.1' });
  const address = tcp.address();
  port = address !== null && typeof address === 'object' ? address.port : null;
}
tell({ kind: 'ready', port });

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const command = proxyCommand.parse(JSON.parse(line.value));
  switch (command.kind) {
    case 'openTrial':
      trials.open(command);
      tell({ kind: 'opened', trial: command.trial });
      break;
    case 'closeTrial':
      void trials
        .close(command.trial)
        .then((totals) => totals !== null && tell({ kind: 'closed', ...totals }));
      break;
  }
}
process.exit(0);

function listen(
  server: Server,
  where: string | { readonly port: number; readonly host: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
}

function tell(event: ProxyEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
