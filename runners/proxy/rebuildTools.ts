import type { ModelSettings } from './modelSettings.ts';
import { isObject } from './rebuildMessages.ts';
import { problem, type RequestProblem } from './requestProblem.ts';

const toolsMax = 512;
const functionFields = ['name', 'description', 'parameters', 'strict'];

/**
 * Rebuilds tools, tool_choice and parallel_tool_calls; a parameter schema is passed as it is (it is the caller's
 * text to the model, like a message).
 */
export function rebuildTools(
  body: Record<string, unknown>,
  settings: Pick<ModelSettings, 'tools'>,
  problems: RequestProblem[],
): Readonly<Record<string, unknown>> {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body;
  const given = { tools, tool_choice: choice, parallel_tool_calls: parallel };
  if (!settings.tools) {
    for (const [field, value] of Object.entries(given)) {
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
      problems.push(problem(field, value, 'this track’s template renders no tools'));
    }
    return {};
  }
  return {
    ...(tools === undefined || tools === null ? {} : { tools: toolList(tools, problems) }),
    ...(choice === undefined || choice === null ? {} : { tool_choice: toolChoice(choice, problems) }),
    ...(parallel === undefined || parallel === null ? {} : { parallel_tool_calls: flag(parallel, problems) }),
  };
}

function toolList(value: unknown, problems: RequestProblem[]): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > toolsMax) {
    problems.push(problem('tools', value, `must be a list of 1 to ${toolsMax} functions`));
    return [];
  }
  return value.map((tool, i) => {
    const at = `tools[${i}]`;
    const fn = isObject(tool) ? tool.function : undefined;
    if (!isObject(tool) || tool.type !== 'function' || !isObject(fn) || typeof fn.name !== 'string') {
      problems.push(problem(at, tool, 'must be {"type": "function", "function": {"name", …}}'));
      return {};
    }
    for (const key of Object.keys(tool)) {
      if (key !== 'type' && key !== 'function')
        problems.push(problem(`${at}.${key}`, tool[key], 'is not passed on'));
    }
    for (const key of Object.keys(fn)) {
      if (!functionFields.includes(key))
        problems.push(problem(`${at}.function.${key}`, fn[key], 'is not passed on'));
    }
    if (fn.description !== undefined && fn.description !== null && typeof fn.description !== 'string') {
      problems.push(problem(`${at}.function.description`, fn.description, 'must be text'));
    }
    if (fn.parameters !== undefined && fn.parameters !== null && !isObject(fn.parameters)) {
      problems.push(problem(`${at}.function.parameters`, fn.parameters, 'must be a JSON schema object'));
    }
    if (fn.strict === true)
      problems.push(problem(`${at}.function.strict`, true, 'no track constrains decoding'));
    const { name, description, parameters } = fn;
    return {
      type: 'function',
      function: {
        name,
        ...(description == null ? {} : { description }),
        ...(parameters == null ? {} : { parameters }),
      },
    };
  });
}

function toolChoice(value: unknown, problems: RequestProblem[]): unknown {
  if (value === 'auto' || value === 'none' || value === 'required') return value;
  const name =
    isObject(value) && value.type === 'function' && isObject(value.function) ? value.function.name : null;
  if (typeof name === 'string') return { type: 'function', function: { name } };
  problems.push(problem('tool_choice', value, 'must be auto, none, required or one function’s name'));
  return 'auto';
}

function flag(value: unknown, problems: RequestProblem[]): boolean {
  if (typeof value !== 'boolean')
    problems.push(problem('parallel_tool_calls', value, 'must be true or false'));
  return value === true;
}
