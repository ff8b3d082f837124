import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';

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
 * throws  TomlSyntaxError with the place of the first mistake, duplicate keys included.
 */
export function readToml(text: string): TomlDocument {
  const program = parse(text);
  const places = new Map<string, Position>();
  const localTimes = new Map<string, string>();

  const note = (path: Path, node: AST.TOMLNode) => {
    const name = JSON.stringify(path);
    const { line, column } = node.loc.start;
    if (!places.has(name)) places.set(name, { line, column: column + 1 });
  };
  const visitValue = (path: Path, node: AST.TOMLContentNode): void => {
    if (node.type === 'TOMLInlineTable') {
      for (const pair of node.body) visitPair(path, pair);
    } else if (node.type === 'TOMLArray') {
      node.elements.forEach((element, index) => {
        note([...path, index], element);
        visitValue([...path, index], element);
      });
    } else if (node.kind.startsWith('local-') && 'datetime' in node) {
      localTimes.set(JSON.stringify(path), node.datetime);
    }
  };
  const visitPair = (parent: Path, pair: AST.TOMLKeyValue): void => {
    let path = parent;
    for (const key of pair.key.keys) {
      path = [...path, key.type === 'TOMLBare' ? key.name : key.value];
      note(path, key);
    }
    visitValue(path, pair.value);
  };

  for (const part of program.body[0].body) {
    if (part.type === 'TOMLKeyValue') {
      visitPair([], part);
    } else {
      const path = part.resolvedKey;
      for (let length = 1; length <= path.length; length += 1) note(path.slice(0, length), part);
      for (const pair of part.body) visitPair(path, pair);
    }
  }
  return {
    value: plain(getStaticTOMLValue(program), [], localTimes),
    locate: (path) => nearest(path, places),
  };
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new TomlSyntaxError(error.message, { line: error.lineNumber, column: error.column + 1 });
  }
}

function nearest(path: Path, places: ReadonlyMap<string, Position>): Position {
  for (let length = path.length; length > 0; length -= 1) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}

function plain(value: unknown, path: Path, localTimes: ReadonlyMap<string, string>): unknown {
  if (value instanceof Date) return localTimes.get(JSON.stringify(path)) ?? value.toISOString();
  if (Array.isArray(value)) return value.map((item, index) => plain(item, [...path, index], localTimes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plain(item, [...path, key], localTimes)]),
  );
}
