import { Refusal } from '@vtb/protocol/errors.ts';

/** A body's text and the JSON in it; an empty body is null. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads a JSON body up to a bound, never more than that into memory.
 *
 * throws  Refusal request.tooLarge, or request.invalid for another content type, broken UTF-8 or broken JSON.
 */
export async function readJson(request: Request, bytesMax: number): Promise<JsonBody> {
  const tooLarge = () =>
    new Refusal('request.tooLarge', `the body is over ${bytesMax} bytes, the most this route takes`);
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > bytesMax) throw tooLarge();
    parts.push(part);
  }
  if (size === 0) return { text: '', value: null };
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new Refusal(
      'request.invalid',
      `the body is ${type ?? 'of no type'}; send content-type: application/json`,
    );
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Refusal('request.invalid', 'the body is not JSON in UTF-8');
  }
}
