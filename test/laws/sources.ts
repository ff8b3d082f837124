import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A source file, with its path from the root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * Every file of the repository that matches, as git sees it (tracked, or new and not ignored); where there is no
 * checkout, as in a release's archive, git can't say and this throws.
 */
export function sources(pattern: RegExp): Source[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed
    .split('\n')
    .filter((path) => pattern.test(path) && existsSync(root + path))
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
}

/** Code that only tests run: tests themselves, and the kits, fixtures and conformance suites that they share. */
export function isTestCode(path: string): boolean {
  return /\.(test|fixture)\.ts$|(^|\/)(testing|crafting)\/|([tT]estKit|[cC]onformance|[tT]estDatabase)[A-Za-z]*\.ts$/.test(
    path,
  );
}

/** What a file imports: static, dynamic and type imports alike; for .astro files, those of the frontmatter and scripts. */
export function importsOf(source: Source): string[] {
  const text = source.path.endsWith('.astro') ? scriptsOf(source.text) : source.text;
  return ts.preProcessFile(text, true, true).importedFiles.map((file) => file.fileName);
}

/** The parsed file, for laws about what code does. */
export function parsed(source: Source): ts.SourceFile {
  return ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
}

/** Every identifier or property chain (`Math.random`, `process.env`) that a file mentions in code, with its line. */
export function mentions(source: Source): { readonly name: string; readonly line: number }[] {
  const file = parsed(source);
  const found: { name: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    if (ts.isPropertyAccessExpression(node))
      found.push({ name: node.getText(file).replaceAll(/\s/g, ''), line });
    if (ts.isNewExpression(node))
      found.push({
        name: `new ${node.expression.getText(file)}(${node.arguments?.length ? '…' : ''})`,
        line,
      });
    if (ts.isIdentifier(node) && isReference(node)) found.push({ name: node.text, line });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** An identifier that stands for a value, not a declared name, a property's name or a type. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node
  )
    return false;
  return !ts.isTypeReferenceNode(parent) && !ts.isImportSpecifier(parent);
}

function scriptsOf(astro: string): string {
  const frontmatter = /^---\n([\s\S]*?)\n---/.exec(astro)?.[1] ?? '';
  const scripts = [...astro.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '');
  return [frontmatter, ...scripts].join('\n');
}
