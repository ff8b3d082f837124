import { expect, test } from 'vitest';
import { renderPrompt } from './renderPrompt.ts';

const track = { prompt: { user: 'Q: {problem}\nA:', answer: 'boxed-integer' as const } };

test.each(['1 + 1?', '$& and $1 and $$', '{problem}', ''])(
  'a problem is put in as it is, whatever it holds: %j',
  (problem) => {
    expect(renderPrompt(track, problem)).toEqual([{ role: 'user', content: `Q: ${problem}\nA:` }]);
  },
);
