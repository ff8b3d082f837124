/** One thing wrong with a model request: the field's path, its value (shortened), and the rule it breaks. */
export type RequestProblem = { readonly field: string; readonly value: string; readonly rule: string };

const valueCharsMax = 80;

/** A problem with any value in it, shortened to what a log line can bear. */
export function problem(field: string, value: unknown, rule: string): RequestProblem {
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
  return { field: field.slice(0, 200), value: shown, rule };
}

/** Every problem in OpenAI's error shape, which clients print as it is; `param` names the first field. */
export function problemBody(problems: readonly RequestProblem[]) {
  return {
    error: {
      message: problems.map((p) => `${p.field} = ${p.value}: ${p.rule}`).join('\n'),
      type: 'invalid_request_error',
      param: problems[0]?.field ?? null,
      code: 'request_refused',
      problems,
    },
  };
}
