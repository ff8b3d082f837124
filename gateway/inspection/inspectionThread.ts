/** The body of an inspecting thread: the protocol's own inspection, with bytes asked for from the thread that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Inspected, inspectSystem } from '@vtb/protocol/system/inspect.ts';
import type { SystemProblem } from '@vtb/protocol/system/problemList.ts';

/** What an inspecting thread says: that it needs bytes of a file, or that it is done. One request at a time. */
export type InspectionRequest =
  | { readonly kind: 'read'; readonly path: string; readonly offset: number; readonly length: number }
  | { readonly kind: 'done'; readonly problems: readonly SystemProblem[] };

const port = parentPort;
if (port === null) throw new Error('this runs as a thread');
const { manifest, rules }: Inspected = workerData;
let arrive: (bytes: Uint8Array) => void = () => {};
port.on('message', (bytes: Uint8Array) => arrive(bytes));
const say = (request: InspectionRequest) => port.postMessage(request);

const { problems } = await inspectSystem(
  { manifest, rules },
  {
    readFileAt: (path, offset, length) =>
      new Promise((resolve) => {
        arrive = resolve;
        say({ kind: 'read', path, offset, length });
      }),
  },
);
say({ kind: 'done', problems });
port.close();
