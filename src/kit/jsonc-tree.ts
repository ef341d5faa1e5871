// JSON with comments and trailing commas -> a tree whose every part knows where it stands, so that one part can be changed and all else stays
// byte for byte. It is for files of other tools, which people edit; documents of ours are read by src/policy.

export type JsoncNode = JsoncObject | JsoncArray | JsoncScalar;

/** `start` and `end` are offsets into the text; `end` is the one after. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** From its key to the end of its value. */
export interface JsoncMember extends Place {
  readonly key: string;
  readonly value: JsoncNode;
}

export interface JsoncObject extends Place {
  readonly kind: "object";
  readonly children: readonly JsoncMember[];
  readonly hasTrailingComma: boolean;
}

export interface JsoncArray extends Place {
  readonly kind: "array";
  readonly children: readonly JsoncNode[];
  readonly hasTrailingComma: boolean;
}

export interface JsoncScalar extends Place {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

/** What is no such text, and in which line. */
export class JsoncFault extends Error {
  override readonly name = "JsoncFault";
  readonly line: number;

  constructor(line: number) {
    super(`line ${line}`);
    this.line = line;
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

const maximumDepth = 100;
const trivia = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
// Nearly: what JSON.parse refuses of it is none.
const scalar = /"(?:[^"\\]|\\[^])*"|true|false|null|-?\d[\d.eE+-]*/y;

function fail({ text, at }: Reader): never {
  throw new JsoncFault(text.slice(0, at).split("\n").length);
}

function skipTrivia(reader: Reader): void {
  trivia.lastIndex = reader.at;
  reader.at += trivia.exec(reader.text)?.[0].length ?? 0;
}

function take(reader: Reader, character: string): boolean {
  skipTrivia(reader);
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}

function parseScalar(found: string): JsoncScalar["value"] | undefined {
  try {
    const value: unknown = JSON.parse(found);
    const isPlain = value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isPlain ? value : undefined;
  } catch {
    return undefined; // an escape or a character that JSON does not have
  }
}

function readScalar(reader: Reader): JsoncScalar {
  const start = reader.at;
  scalar.lastIndex = start;
  const found = scalar.exec(reader.text)?.[0];
  if (found === undefined) return fail(reader);
  reader.at += found.length;
  const value = parseScalar(found);
  return value === undefined ? fail({ ...reader, at: start }) : { kind: "scalar", start, end: reader.at, value };
}

function readMember(reader: Reader, depth: number): JsoncMember {
  const { start, value: key } = readScalar(reader);
  if (typeof key !== "string" || !take(reader, ":")) return fail(reader);
  const value = readNode(reader, depth);
  return { key, start, end: value.end, value };
}

function readChildren<Child>(reader: Reader, close: string, readChild: () => Child) {
  const children: Child[] = [];
  for (let hasTrailingComma = false; ;) {
    if (take(reader, close)) return { children, hasTrailingComma, end: reader.at };
    if (children.length > 0 && !hasTrailingComma) return fail(reader);
    children.push(readChild());
    hasTrailingComma = take(reader, ",");
  }
}

function readNode(reader: Reader, depth: number): JsoncNode {
  if (depth > maximumDepth) return fail(reader);
  skipTrivia(reader);
  const start = reader.at;
  if (take(reader, "[")) return { kind: "array", start, ...readChildren(reader, "]", () => readNode(reader, depth + 1)) };
  if (!take(reader, "{")) return readScalar(reader);
  const keys = new Set<string>();
  const readNew = (): JsoncMember => {
    const member = readMember(reader, depth + 1);
    // Which of two equal keys counts is every reader's own opinion.
    return keys.size === keys.add(member.key).size ? fail(reader) : member;
  };
  return { kind: "object", start, ...readChildren(reader, "}", readNew) };
}

/** @throws JsoncFault at the first thing that is none, which a key that stands twice is too */
export function parseJsonc(text: string): JsoncNode {
  const reader: Reader = { text, at: 0 };
  const root = readNode(reader, 0);
  skipTrivia(reader);
  return reader.at === text.length ? root : fail(reader);
}

/** What it says, without its places. */
export function jsoncValue(node: JsoncNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.children.map(jsoncValue);
  return Object.fromEntries(node.children.map(({ key, value }) => [key, jsoncValue(value)]));
}
