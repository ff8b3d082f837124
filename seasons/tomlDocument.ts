import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';

/** A place in a file; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

type Path = readonly (string | number)[];

/** A TOML file as plain values, and where each of them stands. */
export interface TomlDocument {
  /** Offset date-times are RFC 3339 strings in UTC; local dates and times are the strings in the file. */
  readonly value: unknown;
  /** The place of a key or list item; of its nearest parent that is in the file when it isn't. */
  readonly locate: (path: Path) => Position;
}

/** The text is not TOML: the parser stops at its first mistake. */
export class TomlSyntaxError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = 'TomlSyntaxError';
    this.position = position;
  }
}

/**
 * Reads TOML 1.0 and keeps positions.
 *
 * Values are built here from the syntax tree: the parser's own `getStaticTOMLValue` lets a key named
 * `__proto__` or `constructor` write into prototypes.
 * throws  TomlSyntaxError with the place of the first mistake, duplicate keys included.
 */
export function readToml(text: string): TomlDocument {
  const places = new Map<string, Position>();
  const root: Table = new Map();
  const note = (path: Path, node: AST.TOMLNode) => {
    const name = JSON.stringify(path);
    const { line, column } = node.loc.start;
    if (!places.has(name)) places.set(name, { line, column: column + 1 });
  };

  const read = (path: Path, node: AST.TOMLContentNode): Tree => {
    if (node.type === 'TOMLValue') return node.kind.startsWith('local-') ? localText(node) : node.value;
    if (node.type === 'TOMLArray') {
      return node.elements.map((element, index) => {
        note([...path, index], element);
        return read([...path, index], element);
      });
    }
    const table: Table = new Map();
    for (const pair of node.body) readPair(path, table, pair);
    return table;
  };
  const readPair = (parent: Path, table: Table, pair: AST.TOMLKeyValue): void => {
    const keys = pair.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
    pair.key.keys.forEach((key, index) => {
      note([...parent, ...keys.slice(0, index + 1)], key);
    });
    put(table, keys, read([...parent, ...keys], pair.value));
  };

  for (const part of parse(text).body[0].body) {
    if (part.type === 'TOMLKeyValue') {
      readPair([], root, part);
      continue;
    }
    const path = part.resolvedKey;
    for (let length = 1; length <= path.length; length += 1) note(path.slice(0, length), part);
    const table = tableAt(root, path);
    for (const pair of part.body) readPair(path, table, pair);
  }
  return { value: plain(root), locate: (path) => nearest(path, places) };
}

type Table = Map<string | number, Tree>;
type Tree = Table | Tree[] | string | number | boolean | Date;

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new TomlSyntaxError(error.message, { line: error.lineNumber, column: error.column + 1 });
  }
}

function localText(node: AST.TOMLValue): string {
  return 'datetime' in node ? node.datetime : String(node.value);
}

function put(table: Table, keys: readonly string[], value: Tree): void {
  const last = keys.at(-1);
  if (last !== undefined) tableAt(table, keys.slice(0, -1)).set(last, value);
}

/** The table at a path; lists of tables are kept as tables with indexes for keys until `plain`. */
function tableAt(root: Table, path: Path): Table {
  let table = root;
  for (const key of path) {
    const next = table.get(key);
    const inner = next instanceof Map ? next : new Map();
    table.set(key, inner);
    table = inner;
  }
  return table;
}

function plain(tree: Tree): unknown {
  if (tree instanceof Date) return tree.toISOString();
  if (Array.isArray(tree)) return tree.map(plain);
  if (!(tree instanceof Map)) return tree;
  if (tree.has(0)) return [...tree.values()].map(plain);
  // Own properties, whatever the key: fromEntries defines, it does not assign.
  return Object.fromEntries([...tree].map(([key, value]) => [key, plain(value)]));
}

function nearest(path: Path, places: ReadonlyMap<string, Position>): Position {
  for (let length = path.length; length > 0; length -= 1) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}
