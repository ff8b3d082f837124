import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import type { ReadLine } from '@vtb/protocol/researchLog/readResearchLog.ts';
import { type AppendedLines, appendedLinesSchema, researchLogType } from '@vtb/protocol/wire/researchLog.ts';
import type { Client } from './client.ts';
import type { Console } from './console.ts';
import { Failure } from './failure.ts';

/** A line to send, with the number that people know it by. */
export type NumberedLine = Pick<ReadLine, 'number' | 'line'>;

/**
 * Sends a research log in parts that the service takes; a part that is sent twice counts once.
 *
 * throws  the service's Failure, with line numbers of the file, and saying what was taken before it.
 */
export async function sendLog(
  input: { readonly run: string; readonly lines: readonly NumberedLine[] },
  deps: { readonly client: Pick<Client, 'postText'>; readonly console: Pick<Console, 'bar'> },
): Promise<Pick<AppendedLines, 'added' | 'known'>> {
  let [added, known] = [0, 0];
  for (const part of partsOf(input.lines)) {
    deps.console.bar(`${added + known} of ${input.lines.length} lines`);
    const text = part.map(({ text }) => `${text}\n`).join('');
    try {
      const answer = await deps.client.postText(
        `/runs/${input.run}/log`,
        { type: researchLogType, text },
        appendedLinesSchema,
      );
      added += answer.added;
      known += answer.known;
    } catch (cause) {
      throw cause instanceof Failure ? renumbered(cause, part, added) : cause;
    }
  }
  return { added, known };
}

interface TextLine {
  readonly number: number;
  readonly text: string;
}

/** Lines in order, as many in a part as one request takes; the longest line is far below that. */
export function partsOf(lines: readonly NumberedLine[]): TextLine[][] {
  const parts: TextLine[][] = [];
  let [part, bytes]: [TextLine[], number] = [[], 0];
  for (const { number, line } of lines) {
    const text = JSON.stringify(line);
    const more = Buffer.byteLength(text) + 1;
    if (
      bytes + more > researchLogLimits.requestBytesMax ||
      part.length >= researchLogLimits.requestLinesMax
    ) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push({ number, text });
    bytes += more;
  }
  return part.length > 0 ? [...parts, part] : parts;
}

function renumbered(failure: Failure, part: readonly TextLine[], added: number): Failure {
  const problems = failure.problems.map((problem) => ({
    ...problem,
    at: problem.at.replace(
      /^line (\d+)/,
      (_, digits) => `line ${part[Number(digits) - 1]?.number ?? digits}`,
    ),
  }));
  const before =
    added > 0 ? ` (${added} new line(s) before these were taken; send the log again once it is right)` : '';
  return new Failure(failure.kind, failure.code, failure.message + before, problems);
}
