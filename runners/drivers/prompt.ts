import { renderPrompt } from '@vtb/protocol/season/renderPrompt.ts';
import { textTail } from '@vtb/protocol/textTail.ts';
import {
  outcomeTextCharsMax,
  outcomeTextJsonBytesMax,
  type TrialOutcome,
  type Usage,
} from '@vtb/protocol/wire/desk.ts';
import type { UsageRecord } from '../proxy/proxyProtocol.ts';
import { askModel, type ModelAnswer } from './askModel.ts';
import type { Driver, DriverDeps, DriverEnd, DriverTrial } from './driver.ts';

/** One question, one answer: the track's prompt around the problem, through the proxy like any harness. */
export const promptDriver: Driver = { name: 'prompt', work };

async function work(trial: DriverTrial, deps: DriverDeps): Promise<DriverEnd> {
  const { name, seed, task, track } = trial;
  if (track.driver !== 'prompt') throw new Error(`the prompt driver can't work a ${track.driver} track`);
  const token = deps.newToken();
  await deps.proxy.openTrial({
    trial: name,
    token,
    seed,
    turnsMax: track.settings.maxTurns,
    outputTokensMax: track.settings.maxOutputTokens,
  });
  const startedMs = performance.now();
  const deadline = AbortSignal.timeout(deps.wallClockMs);
  const body = { messages: renderPrompt(track, task.problem) };
  const answer = await askModel(
    { socketPath: deps.proxy.socketPath, token, body, textCharsMax: outcomeTextCharsMax },
    { signal: deps.signal, deadline },
  );
  const durationMs = Math.round(performance.now() - startedMs);
  // Also for a trial that was lost: closing it ends what the engine still does for it.
  const totals = await deps.proxy.closeTrial(name);
  deps.signal.throwIfAborted();
  const usage = {
    promptTokens: totals.promptTokens,
    cachedTokens: totals.cachedTokens,
    generatedTokens: totals.generatedTokens,
  };
  const [record] = deps.takeUsage(name);
  return endOf({ answer, record, usage, durationMs, isLate: deadline.aborted });
}

/**
 * What the proxy's record says became of the request. Its finish reason counts, not what the answer's text claims.
 *
 * No record at all means that our own request was never admitted: ours. Everything else the engine did, also refusing the
 * conversation and an answer that we had to leave, because no signal of ours ended it; whose fault that is, calibration
 * says, or a system could choose which of its trials are tried again.
 */
function endOf(end: {
  readonly answer: ModelAnswer;
  readonly record: UsageRecord | undefined;
  readonly usage: Usage;
  readonly durationMs: number;
  readonly isLate: boolean;
}): DriverEnd {
  const { answer, record, usage, durationMs } = end;
  const answered = (how: Extract<TrialOutcome, { kind: 'answered' }>['end']): DriverEnd => ({
    kind: 'outcome',
    outcome: {
      kind: 'answered',
      end: how,
      output: textTail(answer.output, outcomeTextJsonBytesMax),
      reasoning: answer.reasoning === null ? null : textTail(answer.reasoning, outcomeTextJsonBytesMax),
      usage,
      durationMs,
    },
  });
  if (record === undefined)
    return { kind: 'outcome', outcome: { kind: 'failed', fault: 'ours', phase: 'proxy', usage, durationMs } };
  if (end.isLate || record.outcome === 'timeout') return answered('timeout');
  switch (record.outcome) {
    case 'answered':
      if (record.finish === 'length') return answered('length');
      // 'tool_calls' and the like end an answer too; none of our requests allows them.
      if (record.finish === 'stop' && answer.isWhole) return answered('stop');
      return { kind: 'engineFailed', usage, durationMs };
    case 'refused':
    case 'aborted':
    case 'failed':
      return { kind: 'engineFailed', usage, durationMs };
  }
}
