// A JSON reader that accepts exactly one spelling: RFC 8785 canonical bytes. JSON.parse keeps the last of two equal keys and lets
// lone surrogates pass, so two readers could see two records in the same signed bytes. Never throws to its caller.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;
export type JsonProblem = "not-utf8" | "syntax" | "too-deep" | "duplicate-key" | "lone-surrogate" | "not-canonical";
export type JsonRead = { readonly value: JsonValue } | { readonly problem: JsonProblem };

const deepest = 64;
/** JSON.parse of the token refuses raw controls and unknown escapes. */
const stringToken = /"[^"\\]*(?:\\.[^"\\]*)*"/uy;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const wordToken = /true|false|null/uy;

class Refusal extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Canonical bytes hold no white space, so none is skipped. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    const value = this.#value(0);
    if (this.#at !== this.#text.length) throw new Refusal("syntax");
    return value;
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #token(pattern: RegExp): string | undefined {
    const sticky = pattern;
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #value(depth: number): JsonValue {
    if (depth > deepest) throw new Refusal("too-deep");
    if (this.#take("{")) return this.#object(depth);
    if (this.#take("[")) return this.#array(depth);
    if (this.#text[this.#at] === '"') return this.#string();
    const word = this.#token(wordToken);
    if (word !== undefined) return word === "null" ? null : word === "true";
    const number = this.#token(numberToken);
    if (number === undefined || !Number.isFinite(Number(number))) throw new Refusal("syntax");
    return Number(number);
  }

  #string(): string {
    const token = this.#token(stringToken);
    if (token === undefined) throw new Refusal("syntax");
    const text: unknown = JSON.parse(token);
    if (typeof text !== "string") throw new Refusal("syntax");
    if (!text.isWellFormed()) throw new Refusal("lone-surrogate");
    return text;
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#take("]")) return items;
    do {
      items.push(this.#value(depth + 1));
    } while (this.#take(","));
    if (!this.#take("]")) throw new Refusal("syntax");
    return items;
  }

  #object(depth: number): Map<string, JsonValue> {
    const members = new Map<string, JsonValue>();
    if (this.#take("}")) return members;
    do {
      const name = this.#string();
      if (members.has(name)) throw new Refusal("duplicate-key");
      if (!this.#take(":")) throw new Refusal("syntax");
      members.set(name, this.#value(depth + 1));
    } while (this.#take(","));
    if (!this.#take("}")) throw new Refusal("syntax");
    return members;
  }
}

function isMap(value: JsonValue): value is ReadonlyMap<string, JsonValue> {
  return value instanceof Map;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function canonical(value: JsonValue): string {
  if (isMap(value)) {
    const names = [...value.keys()].toSorted();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value.get(name) ?? null)}`).join(",")}}`;
  }
  if (isList(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  return JSON.stringify(value);
}

/** Reads one document. Objects become maps, so that no name in them means anything to JavaScript. */
export function readStrictJson(bytes: Uint8Array): JsonRead {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // fails closed because bytes that are no text are no record
    return { problem: "not-utf8" };
  }
  try {
    const value = new Reader(text).document();
    return canonical(value) === text ? { value } : { problem: "not-canonical" };
  } catch (error) {
    // fails closed because whatever went wrong, the bytes were not understood
    return { problem: error instanceof Refusal ? error.problem : "syntax" };
  }
}
