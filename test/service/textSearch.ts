import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A text and every form in which it could lie somewhere. */
interface Needle {
  readonly text: string;
  readonly forms: readonly Buffer[];
}

/** Looks for texts in bytes: as they are, escaped for HTML or JSON, in hex, and in base64 at every alignment. */
export interface TextSearch {
  /** The texts that are in the bytes. */
  readonly inBytes: (bytes: Buffer) => readonly string[];
  /** Where below a folder the texts are: 'path: text'. Every regular file is read, whatever its name. */
  readonly inFolder: (folder: string) => Promise<readonly string[]>;
}

/** Bytes read at once; neighbours overlap by the longest form, so that none is cut in two. */
const pieceBytes = 32 * 1024 * 1024;

/** A search for any of these texts. */
export function textSearch(texts: readonly string[]): TextSearch {
  const needles: readonly Needle[] = texts.map((text) => ({ text, forms: formsOf(text) }));
  const overlap = Math.max(...needles.flatMap(({ forms }) => forms.map((form) => form.length)));
  const inBytes = (bytes: Buffer) =>
    needles.filter(({ forms }) => forms.some((form) => bytes.includes(form))).map(({ text }) => text);
  const inFile = async (path: string): Promise<readonly string[]> => {
    await using file = await open(path, 'r');
    const found = new Set<string>();
    const piece = Buffer.alloc(pieceBytes);
    for (let at = 0; ; at += pieceBytes - overlap) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
      for (const text of inBytes(piece.subarray(0, bytesRead))) found.add(text);
      if (bytesRead < pieceBytes) return [...found];
    }
  };
  const inFolder = async (folder: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const path of await filesBelow(folder))
      for (const text of await inFile(path).catch(ignoreMissing)) found.push(`${path}: ${text}`);
    return found;
  };
  return { inBytes, inFolder };
}

function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const html = text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&#34;');
  const json = JSON.stringify(text).slice(1, -1);
  const plain = [text, html, json, JSON.stringify(json).slice(1, -1), bytes.toString('hex')];
  const encoded = [0, 1, 2].flatMap((shift) => {
    // The characters that only these bytes decide, whatever stands before and after them.
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const inner = shifted.slice(Math.ceil((shift * 4) / 3), -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...new Set([...plain, ...encoded])].map((form) => Buffer.from(form));
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(ignoreMissing);
  const nested = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const facts = await lstat(path).catch(() => undefined);
      if (facts?.isDirectory()) return filesBelow(path);
      return facts?.isFile() ? [path] : [];
    }),
  );
  return nested.flat();
}

/** Files come and go while a service runs. */
function ignoreMissing(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
