import type { Finish } from '@vtb/protocol/wire/desk.ts';

type Failed = Extract<Finish['result'], { kind: 'failed' }>;
type OursCause = Extract<Failed, { fault: 'ours' }>['cause'];
type SystemCause = Extract<Failed, { fault: 'system' }>['cause'];

/** A replay can't go on, and whose fault that is. Its message is for the log. */
export class ReplayFailed extends Error {
  readonly result: Failed;

  constructor(result: Failed, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.name = 'ReplayFailed';
    this.result = result;
  }

  static ours(cause: OursCause, detail: string, error?: unknown): ReplayFailed {
    return new ReplayFailed({ kind: 'failed', fault: 'ours', cause }, detail, error);
  }

  static system(cause: SystemCause, detail: string, error?: unknown): ReplayFailed {
    return new ReplayFailed({ kind: 'failed', fault: 'system', cause }, detail, error);
  }
}
