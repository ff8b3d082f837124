import type { Sha256 } from '../digest.ts';
import type { Problem } from '../errors.ts';
import { researchLogLimits as limits } from './limits.ts';
import { type ResearchLine, researchLineSchema } from './line.ts';
import { lineDigest } from './lineDigest.ts';

/** A checked line, where it stood, and what it is known by. */
export interface ReadLine {
  /** From 1, as editors count. */
  readonly number: number;
  readonly line: ResearchLine;
  readonly digest: Sha256;
}

/** A research log as read: lines count only when there are no problems. */
export interface ReadLog {
  /** Each line once, in file order. */
  readonly lines: readonly ReadLine[];
  /** Lines that said again what an earlier line said. */
  readonly repeated: number;
  readonly problems: readonly Problem[];
}

/**
 * Reads a research log: one JSON object a line.
 *
 * text     the file's text; empty lines, a byte order mark and CRLF are fine.
 * returns  every line that is well formed and every problem of those that are not, with line numbers; past
 *          `problemsMax` problems the rest are only counted. A line is checked by itself: what it refers to may have been
 *          logged before.
 * Never throws. Pure: the same text gives the same answer.
 */
export function readResearchLog(text: string): ReadLog {
  const lines: ReadLine[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  let [repeated, untold, number] = [0, 0, 0];
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    number++;
    const trimmed = raw.trim();
    if (trimmed === '') continue;
    const read = readLine(trimmed, number);
    if ('problems' in read) {
      const room = limits.problemsMax - problems.length;
      problems.push(...read.problems.slice(0, room));
      untold += Math.max(0, read.problems.length - room);
    } else if (seen.has(read.digest)) repeated++;
    else {
      seen.add(read.digest);
      lines.push(read);
    }
  }
  if (untold > 0)
    problems.push({
      code: 'researchLog.more',
      at: '',
      message: `and ${untold} more problem(s) of this kind`,
    });
  return { lines, repeated, problems };
}

function readLine(text: string, number: number): ReadLine | { readonly problems: readonly Problem[] } {
  const problem = (code: string, message: string, fix: string) => ({
    problems: [{ code, at: `line ${number}`, message, fix }],
  });
  if (text.length > limits.lineCharsMax)
    return problem(
      'researchLog.lineLength',
      `${text.length} characters; a line has at most ${limits.lineCharsMax}`,
      'Shorten its texts, or split it.',
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return problem('researchLog.json', 'this is not JSON', 'Write one whole JSON object on each line.');
  }
  const parsed = researchLineSchema.safeParse(value);
  if (parsed.success) return { number, line: parsed.data, digest: lineDigest(parsed.data) };
  return {
    problems: parsed.error.issues.map(({ path, message }) => ({
      code: 'researchLog.line',
      at: `line ${number}${path.map((part) => ` ${String(part)}`).join('')}`.slice(0, 200),
      message: message.slice(0, 300),
    })),
  };
}
