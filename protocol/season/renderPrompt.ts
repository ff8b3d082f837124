import type { PromptTrack } from './track.ts';

/** The one user message of a prompt task. */
export interface PromptMessage {
  readonly role: 'user';
  readonly content: string;
}

/** The messages that a prompt track sends for a problem; the problem's text is put in as it is. */
export function renderPrompt(track: Pick<PromptTrack, 'prompt'>, problem: string): readonly PromptMessage[] {
  // A function, because "$&" in a problem would otherwise be a pattern of String.replace.
  return [{ role: 'user', content: track.prompt.user.replace('{problem}', () => problem) }];
}
