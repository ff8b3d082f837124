import { expect, test } from 'vitest';
import type { ModelSettings } from './modelSettings.ts';
import { rebuildRequest } from './rebuildRequest.ts';

const terminal: ModelSettings = {
  ...{
    model: 'openai/track',
    temperature: 1,
    topP: 1,
    topK: 0,
    minP: 0,
    presencePenalty: 0,
    frequencyPenalty: 0,
  },
  ...{
    repetitionPenalty: 1,
    outputTokensMax: 4096,
    thinking: false,
    thinkingSwitch: true,
    reasoningEffort: null,
  },
  tools: true,
};
const seeds = { trialSeed: 5, seed: 9 };
const messages = [{ role: 'user', content: 'hello' }];
const allowed = [
  ...[
    'model',
    'messages',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'stop',
    'temperature',
    'top_p',
    'top_k',
  ],
  ...['min_p', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'seed', 'n', 'max_tokens'],
  ...['chat_template_kwargs', 'reasoning_effort', 'stream', 'stream_options'],
];

function admitted(body: unknown, settings = terminal) {
  const outcome = rebuildRequest(body, settings, seeds);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.problems));
  return outcome.request;
}

function refused(body: unknown, settings = terminal): readonly string[] {
  const outcome = rebuildRequest(body, settings, seeds);
  return outcome.kind === 'refused' ? outcome.problems.map((p) => p.field) : [];
}

test('the least request gets every setting from the track', () => {
  expect(admitted({ messages })).toEqual({
    isStream: false,
    showsUsage: false,
    body: {
      ...{
        model: 'openai/track',
        messages,
        temperature: 1,
        top_p: 1,
        top_k: 0,
        min_p: 0,
        presence_penalty: 0,
      },
      ...{ frequency_penalty: 0, repetition_penalty: 1, seed: 9, n: 1, max_tokens: 4096, stream: false },
      chat_template_kwargs: { enable_thinking: false },
    },
  });
});

test('what mini-SWE-agent sends passes', () => {
  const bash = {
    type: 'function',
    function: {
      name: 'bash',
      description: 'Execute a bash command',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  };
  const call = { id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };
  const { body } = admitted({
    model: 'openai/track',
    messages: [
      { role: 'system', content: 'You can use bash.' },
      { role: 'user', content: 'Fix it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call],
        function_call: null,
        provider_specific_fields: { refusal: null },
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'README.md' },
    ],
    temperature: 1.0,
    tools: [bash],
    parallel_tool_calls: true,
    chat_template_kwargs: { enable_thinking: false },
  });
  expect(body.tools).toEqual([bash]);
  expect(body.parallel_tool_calls).toBe(true);
  expect(body.messages).toEqual([
    { role: 'system', content: 'You can use bash.' },
    { role: 'user', content: 'Fix it.' },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: 'README.md', tool_call_id: 'call_1' },
  ]);
});

test('what Terminus 2 sends passes, also with a smaller output bound', () => {
  const { body } = admitted({
    model: 'openai/track',
    messages: [
      { role: 'user', content: 'task' },
      { role: 'assistant', content: '{}' },
      { role: 'user', content: 'screen' },
    ],
    temperature: 1,
    max_tokens: 1_000,
    chat_template_kwargs: { enable_thinking: false },
  });
  expect(body.max_tokens).toBe(1_000);
});

test.each([
  ...[
    'min_tokens',
    'best_of',
    'logit_bias',
    'response_format',
    'prompt_embeds',
    'extra_body',
    'chat_template',
  ],
  ...[
    'continue_final_message',
    'add_generation_prompt',
    'logprobs',
    'top_logprobs',
    'prompt_logprobs',
    'guided_json',
  ],
  ...[
    'structured_outputs',
    'priority',
    'kv_transfer_params',
    'mm_processor_kwargs',
    'documents',
    'echo',
    'user',
  ],
  ...[
    'add_special_tokens',
    'skip_special_tokens',
    'stop_token_ids',
    'ignore_eos',
    'allowed_token_ids',
    'functions',
  ],
  ...['prompt', 'store', 'metadata', 'cache_salt', 'vllm_xargs', 'lora_request', 'toString', 'constructor'],
])('%s is refused by name', (field) => {
  expect(refused({ messages, [field]: 1 })).toEqual([field]);
  expect(refused({ messages, [field]: null })).toEqual([field]);
});

test('a key named __proto__ is a field like any other', () => {
  expect(refused(JSON.parse('{"messages":[{"role":"user","content":"x"}],"__proto__":{"seed":1}}'))).toEqual([
    '__proto__',
  ]);
});

test.each([
  ['model', 'other'],
  ['temperature', 0],
  ['temperature', '1'],
  ['top_p', 0.5],
  ['top_k', 20],
  ['min_p', 0.1],
  ['presence_penalty', 1],
  ['frequency_penalty', 1],
  ['repetition_penalty', 1.1],
  ['seed', 6],
  ['n', 2],
  ['max_tokens', 4097],
  ['max_tokens', 0],
  ['max_tokens', 1.5],
  ['max_tokens', '10'],
  ['max_completion_tokens', 5_000],
  ['reasoning_effort', 'high'],
])('%s = %j is refused by name', (field, value) => {
  expect(refused({ messages, [field]: value })).toEqual([field]);
});

test('pinned fields with the track’s values, or null, change nothing', () => {
  const bare = admitted({ messages }).body;
  const said = { model: 'openai/track', temperature: 1, top_p: 1, top_k: 0, min_p: 0, seed: 5, n: 1 };
  expect(admitted({ messages, ...said, max_completion_tokens: 4096 }).body).toEqual(bare);
  const nulls = Object.fromEntries(Object.keys(said).map((k) => [k, null]));
  expect(admitted({ messages, ...nulls, tools: null, stop: null, stream: null }).body).toEqual(bare);
});

test.each([{ chat_template: 'x' }, { tokenize: true }, { enable_thinking: true }])(
  'the template switch %j is refused',
  (kwargs) => {
    const [key] = Object.keys(kwargs);
    expect(refused({ messages, chat_template_kwargs: kwargs })).toEqual([`chat_template_kwargs.${key}`]);
  },
);

test('the smaller of two output bounds counts', () => {
  expect(admitted({ messages, max_tokens: 50, max_completion_tokens: 20 }).body.max_tokens).toBe(20);
});

test('an answer that the caller begins is refused', () => {
  expect(refused({ messages: [...messages, { role: 'assistant', content: '<think>' }] })).toEqual([
    'messages[1].role',
  ]);
});

test.each([
  [{ role: 'user', content: 'x', prefix: true }, 'messages[0].prefix'],
  [{ role: 'user', content: 'x', cache_control: {} }, 'messages[0].cache_control'],
  [{ role: 'root', content: 'x' }, 'messages[0].role'],
  [{ role: 'user', content: 7 }, 'messages[0].content'],
  [{ role: 'user' }, 'messages[0].content'],
  [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }, 'messages[0].content[0]'],
  [
    { role: 'user', content: [{ type: 'text', text: 'x', cache_control: 1 }] },
    'messages[0].content[0].cache_control',
  ],
  [{ role: 'user', content: 'x', function_call: { name: 'f' } }, 'messages[0].function_call'],
  [{ role: 'user', content: 'x', tool_calls: [{ id: 1 }] }, 'messages[0].tool_calls[0]'],
  ['x', 'messages[0]'],
])('the message %j is refused at its place', (message, field) => {
  expect(refused({ messages: [message] })).toContain(field);
});

test('every problem is in one answer', () => {
  const fields = refused({ messages: [], temperature: 0, logit_bias: {}, n: 3, stream: 'yes', stop: [''] });
  expect([...fields].sort()).toEqual(['logit_bias', 'messages', 'n', 'stop', 'stream', 'temperature']);
});

test('whatever is sent, the engine sees only listed fields with the track’s values', () => {
  const body = admitted({
    messages,
    stream: true,
    stream_options: { include_usage: true },
    stop: 'x',
    max_tokens: 7,
  }).body;
  expect(Object.keys(body).filter((k) => !allowed.includes(k))).toEqual([]);
  expect(body).toMatchObject({
    temperature: 1,
    seed: 9,
    n: 1,
    stream_options: { include_usage: true },
    stop: ['x'],
  });
});

test('where the template renders no tools, tools are refused; empty ones are none', () => {
  const plain = { ...terminal, tools: false, thinkingSwitch: false };
  expect(refused({ messages, tools: [{}], tool_choice: 'auto' }, plain)).toEqual(['tools', 'tool_choice']);
  const { body } = admitted({ messages, tools: [], chat_template_kwargs: { enable_thinking: false } }, plain);
  expect(Object.keys(body)).not.toContain('tools');
  expect(Object.keys(body)).not.toContain('chat_template_kwargs');
});

test('constrained decoding asked for by a tool is refused', () => {
  const tools = [{ type: 'function', function: { name: 'f', strict: true } }];
  expect(refused({ messages, tools })).toEqual(['tools[0].function.strict']);
});

test.each([null, [], 'x', 3])('%j is no request', (body) => {
  expect(refused(body)).toEqual(['body']);
});
