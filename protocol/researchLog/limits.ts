/** Every bound of a research log, in one place. */
export const researchLogLimits = {
  /** An activity is a bar of a chart: a few words. */
  activityCharsMax: 60,
  modelCharsMax: 120,
  designIdCharsMax: 80,
  /** Hypothesis, decision, evidence: a long paragraph each. */
  noteCharsMax: 4_000,
  /** A design with three full notes, every character escaped, fits. */
  lineCharsMax: 80_000,
  /** More than any model reads in a day at one time; 200,000 such lines still add up exactly in a double. */
  tokensMax: 10_000_000_000,
  /** What one request may bring: checking a thousand lines keeps a server from everything else for an eighth of a second. */
  requestLinesMax: 1_000,
  /** The longest line fits, at three bytes a character. */
  requestBytesMax: 256 * 1024,
  /** 24 hours of a model call and a tool call every second are 172,800 lines. */
  runLinesMax: 200_000,
  /** Problems told at once; the rest are counted. */
  problemsMax: 1_000,
} as const;
