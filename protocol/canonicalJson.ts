import canonicalize from 'canonicalize';

/**
 * The one spelling of a JSON value (RFC 8785): keys by UTF-16 unit, no white space, ECMAScript numbers.
 *
 * Members that are undefined or functions are left out, and become null in arrays, as JSON.stringify does.
 * throws  TypeError when the value has no JSON form: undefined, a function, a bigint, NaN or an infinity,
 *         a cycle, or a string with a lone surrogate (it has no UTF-8, so two encoders would hash two
 *         different byte strings). What is signed or hashed must be exact.
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`This value has no canonical JSON: ${why}`, { cause });
  }
  if (text === undefined) throw new TypeError(`A ${typeof value} has no canonical JSON`);
  return text;
}
