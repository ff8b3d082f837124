import type { Route } from './route.ts';

/** The route table as a page for people, at /api: it needs no script and loads nothing from elsewhere. */
export function apiPage(routes: readonly Route[], prefix: string): string {
  const groups = Map.groupBy(routes, ({ path }) => path.split('/')[1] ?? '');
  const sections = [...groups].map(
    ([name, lines]) =>
      `<section><h2>${escaped(name)}</h2><table><thead><tr><th>Route<th>What it does<th>For<th>Scope<th>A minute</thead><tbody>${lines.map((line) => row(line, prefix)).join('')}</tbody></table></section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:2rem 1rem}section{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);vertical-align:top}code{font-size:.9em;white-space:nowrap}</style></head>
<body><h1>API</h1><p>Everything is JSON under <code>${escaped(prefix)}</code>; errors are problem documents with a stable code (RFC 9457); each POST that creates takes an <code>Idempotency-Key</code>. The machine-readable description: <a href="${escaped(prefix)}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>${sections.join('')}</body></html>`;
}

function row(line: Route, prefix: string): string {
  const cells = [
    line.summary,
    line.roles.length === 5 ? 'everyone' : line.roles.join(', '),
    line.scope ?? '–',
    String(line.limits.perMinute),
  ];
  return `<tr><td><code>${line.method} ${escaped(prefix + line.path)}</code>${cells.map((cell) => `<td>${escaped(cell)}`).join('')}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
