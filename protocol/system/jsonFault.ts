/** What a JSON text is held to besides its grammar. */
export interface JsonRules {
  /** Open arrays and objects at once. */
  readonly depthMax: number;
  /** Values of any kind, members' values included: bounds the memory that parsing takes. */
  readonly valueCountMax: number;
  /** Members of one object. */
  readonly memberCountMax: number;
  /** Whether every number must be a plain whole number of at most 2^53 - 1: no sign, fraction or exponent. */
  readonly wholeNumbersOnly: boolean;
}

/**
 * Finds what is wrong with a JSON text before anything is built from it: grammar, repeated keys (which
 * readers resolve differently), lone surrogates, depth, number of values.
 *
 * returns  null when the text is good, and then JSON.parse takes it; else a clause with the position.
 * Source: RFC 8259; I-JSON (RFC 7493) for repeated keys and surrogates.
 */
export function jsonFault(text: string, rules: JsonRules): string | null {
  try {
    new Scanner(text, rules).scan();
    return null;
  } catch (fault) {
    if (fault instanceof Fault) return fault.message;
    throw fault;
  }
}

const wordCharactersMax = 64;

class Fault extends Error {}

/** Walks the text once, without recursion, so that depth costs an entry of `#open` and no stack. */
class Scanner {
  readonly #text: string;
  readonly #rules: JsonRules;
  /** The keys seen in each open object; null for an open array. */
  readonly #open: (Set<string> | null)[] = [];
  #at = 0;
  #values = 0;

  constructor(text: string, rules: JsonRules) {
    this.#text = text;
    this.#rules = rules;
  }

  scan(): void {
    if (!this.#text.isWellFormed()) this.#fail('a lone surrogate is somewhere in the text');
    this.#skipSpace();
    let complete = this.#takeValue();
    while (this.#open.length > 0) {
      if (!complete) {
        complete = this.#takeValue();
        continue;
      }
      const keys = this.#open.at(-1) ?? null;
      const close = keys === null ? ']' : '}';
      if (this.#takeMark(',')) {
        if (keys !== null) this.#takeKey(keys);
        complete = false;
      } else if (this.#takeMark(close)) {
        this.#open.pop();
      } else {
        this.#fail(`"," or "${close}" is expected`);
      }
    }
    if (this.#at < this.#text.length) this.#fail('the text goes on after its value');
  }

  /** Takes a scalar, or opens a container; true when the value is complete. */
  #takeValue(): boolean {
    this.#values += 1;
    if (this.#values > this.#rules.valueCountMax)
      this.#fail(`there are over ${this.#rules.valueCountMax} values`);
    const mark = this.#text[this.#at];
    if (mark !== '{' && mark !== '[') {
      this.#takeScalar();
      return true;
    }
    if (this.#open.length === this.#rules.depthMax)
      this.#fail(`values are nested over ${this.#rules.depthMax} deep`);
    this.#takeMark(mark);
    if (this.#takeMark(mark === '{' ? '}' : ']')) return true;
    const keys = mark === '{' ? new Set<string>() : null;
    this.#open.push(keys);
    if (keys !== null) this.#takeKey(keys);
    return false;
  }

  #takeKey(keys: Set<string>): void {
    const start = this.#at;
    const key = this.#takeString();
    if (keys.has(key)) {
      this.#at = start;
      this.#fail(`the key ${JSON.stringify(key.slice(0, 80))} is repeated`);
    }
    if (keys.size === this.#rules.memberCountMax) {
      this.#fail(`an object has over ${this.#rules.memberCountMax} members`);
    }
    keys.add(key);
    this.#skipSpace();
    if (!this.#takeMark(':')) this.#fail('":" is expected');
  }

  #takeScalar(): void {
    if (this.#text[this.#at] === '"') this.#takeString();
    else this.#takeWord();
    this.#skipSpace();
  }

  /** Numbers and literals: a run of word characters that must be exactly one of them. */
  #takeWord(): void {
    const start = this.#at;
    let end = start;
    // No literal or useful number is longer; the bound keeps words cheap to match and to show.
    while (end - start <= wordCharactersMax && /[-+.0-9A-Za-z]/.test(this.#text[end] ?? '')) end += 1;
    if (end - start > wordCharactersMax) this.#fail(`a number has more than ${wordCharactersMax} characters`);
    const word = this.#text.slice(start, end);
    if (!/^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/.test(word)) {
      this.#fail('a value is expected');
    }
    const isNumber = /[0-9]/.test(word);
    if (
      isNumber &&
      this.#rules.wholeNumbersOnly &&
      !(/^[0-9]+$/.test(word) && Number.isSafeInteger(Number(word)))
    ) {
      this.#fail(`${word} is not a plain whole number up to 9007199254740991`);
    }
    this.#at = end;
  }

  #takeString(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#fail('a string is expected');
    let escaped = false;
    let at = start + 1;
    for (; ; at += 1) {
      const unit = this.#text.charCodeAt(at);
      if (unit === 0x22) break;
      // Past the end charCodeAt gives NaN, which is not >= 0x20.
      if (!(unit >= 0x20)) this.#fail('a string has a control character or no end, starting');
      if (unit !== 0x5c) continue;
      escaped = true;
      if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.#text.slice(at + 1, at + 6))) {
        this.#fail('a string has an unknown escape, starting');
      }
      at += 1;
    }
    this.#at = at + 1;
    const raw = this.#text.slice(start, this.#at);
    const value = escaped ? String(JSON.parse(raw)) : raw.slice(1, -1);
    if (!value.isWellFormed()) this.#fail('a string has a lone surrogate, ending');
    return value;
  }

  #takeMark(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    this.#skipSpace();
    return true;
  }

  #skipSpace(): void {
    let unit = this.#text.charCodeAt(this.#at);
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) {
      this.#at += 1;
      unit = this.#text.charCodeAt(this.#at);
    }
  }

  #fail(what: string): never {
    throw new Fault(`${what} at character ${this.#at}`);
  }
}
