/**
 * Theory of operation. Headers come from strangers, and parsing a hostile one of 16 MiB takes most of a second: a thread
 * of its own does it, so that meanwhile nobody else waits, with memory of its own, so that it can be stopped for good
 * whatever it is doing. It is the same code that `vtb check` runs. Bytes are read here, where the chunk store is.
 */
import { Worker } from 'node:worker_threads';
import type { Problem } from '@vtb/protocol/errors.ts';
import type { Inspected } from '@vtb/protocol/system/inspect.ts';
import type { ReadFileAt } from '@vtb/protocol/system/readAt.ts';
import type { InspectionRequest } from './inspectionThread.ts';

/** What an inspection may take. */
export interface InspectionBounds {
  /** The largest header that is read (64 MiB of GGUF) parsed into values takes about a third of the default. */
  readonly heapMiB: number;
}

/** The bounds of a gateway. */
export const inspectionBounds: InspectionBounds = { heapMiB: 1_024 };

/**
 * Says everything that is wrong with a system, as `inspectSystem` does, in a thread of its own.
 *
 * returns  its problems; one alone, `system.inspection`, for a system whose inspection needs more memory than it may have.
 * throws   the signal's reason, with the thread ended, or what reading fails with: never the system's fault.
 */
export async function inspectInThread(
  input: Inspected,
  deps: {
    readonly readFileAt: ReadFileAt;
    readonly signal: AbortSignal;
    readonly bounds: InspectionBounds;
  },
): Promise<readonly Problem[]> {
  const { readFileAt, signal, bounds } = deps;
  signal.throwIfAborted();
  const outcome = Promise.withResolvers<readonly Problem[]>();
  const worker = new Worker(new URL('./inspectionThread.ts', import.meta.url), {
    name: 'inspection',
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMiB },
  });
  const answer = async (request: InspectionRequest) => {
    if (request.kind === 'done') return outcome.resolve(request.problems);
    const bytes = await readFileAt(request.path, request.offset, request.length);
    if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength)
      worker.postMessage(bytes, [bytes.buffer]);
    else worker.postMessage(bytes);
  };
  worker.on('message', (request: InspectionRequest) => void answer(request).catch(outcome.reject));
  worker.on('error', (cause) => {
    if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
      outcome.resolve([needsTooMuch(bounds.heapMiB)]);
    else outcome.reject(new Error('an inspecting thread failed', { cause }));
  });
  worker.on('exit', () => outcome.reject(new Error('an inspecting thread ended early')));
  const abort = () => outcome.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await outcome.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

function needsTooMuch(heapMiB: number): Problem {
  return {
    code: 'system.inspection',
    at: '',
    message: `Inspecting this system takes more than ${heapMiB} MiB of memory`,
    fix: 'Save the weights with fewer and shorter names and metadata.',
  };
}
