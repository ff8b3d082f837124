/** A message as a template renders it. */
export type TemplateMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/**
 * A piece of a rendered prompt. `control` is one of the template's own markers and becomes one token; `text` comes
 * from messages and is never read as a marker, so a message can't open or close a turn.
 */
export type TemplatePiece = { readonly kind: 'control' | 'text'; readonly text: string };

/** A track's chat template, as code of ours. */
export type ChatTemplate = {
  /** Renders the conversation and the opening of the assistant's turn. */
  render(messages: readonly TemplateMessage[]): readonly TemplatePiece[];
  /** The markers that end a turn; generation stops at them. */
  readonly endMarkers: readonly string[];
  /** What the template is, for its digest: two templates with the same text render the same. */
  readonly source: string;
};

/** Templates by the name a track's settings use. */
export const chatTemplates = {
  chatml: {
    render: (messages) =>
      joinText([
        ...messages.flatMap((m) => turn(m.role, m.content)),
        { kind: 'control', text: '<|im_start|>' },
        { kind: 'text', text: 'assistant\n' },
      ]),
    endMarkers: ['<|im_end|>', '<|endoftext|>'],
    source:
      "{%- for message in messages %}{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
  },
} as const satisfies Record<string, ChatTemplate>;

/** The name of a known template. */
export type ChatTemplateName = keyof typeof chatTemplates;

/** Every known name, for schemas. */
export const chatTemplateNames = Object.keys(chatTemplates) as [ChatTemplateName, ...ChatTemplateName[]];

function turn(role: string, content: string): readonly TemplatePiece[] {
  return [
    { kind: 'control', text: '<|im_start|>' },
    { kind: 'text', text: `${role}\n${content}` },
    { kind: 'control', text: '<|im_end|>' },
    { kind: 'text', text: '\n' },
  ];
}

/** Neighbouring text is one piece: a tokenizer merges across the seam, as it did in training. */
function joinText(pieces: readonly TemplatePiece[]): readonly TemplatePiece[] {
  const joined: TemplatePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === 'text' && piece.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}
