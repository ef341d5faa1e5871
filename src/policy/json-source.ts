// Strict JSON (RFC 8259) -> plain data with line numbers. Written here because JSON.parse keeps the last of two equal keys and knows no lines.
import { type KeyPath, dottedKey } from "./key-path.ts";
import { type PlainSource, maximumDepth } from "./plain-source.ts";
import { type Fault, SourceFault, failSource } from "./source-fault.ts";
import { lineAt } from "./source-text.ts";

interface Reader {
  readonly text: string;
  at: number;
  line: number;
  readonly lines: Map<string, number>;
  readonly faults: Fault[];
}

const literals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
// \p{Cc} is more than JSON forbids (it has DEL and C1), which no policy needs.
const stringPattern = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const literalPattern = /true|false|null/uy;

function unexpected(reader: Reader): never {
  const found = reader.text.slice(reader.at, reader.at + 12);
  return found === "" ? failSource("policy.json-end", reader.line) : failSource("policy.json-unexpected", reader.line, { found });
}

function skipSpace(reader: Reader): void {
  for (; ; reader.at += 1) {
    const character = reader.text[reader.at];
    if (character === "\n") reader.line += 1;
    else if (character !== " " && character !== "\t") return;
  }
}

function take(reader: Reader, character: string): boolean {
  skipSpace(reader);
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  const sticky = new RegExp(pattern.source, pattern.flags);
  sticky.lastIndex = reader.at;
  const found = sticky.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

function readString(reader: Reader): string {
  const quoted = match(reader, stringPattern);
  if (quoted === undefined) return unexpected(reader);
  const text: unknown = JSON.parse(quoted);
  if (typeof text !== "string" || !text.isWellFormed()) return failSource("policy.not-utf8", reader.line);
  return text;
}

function readObject(reader: Reader, path: KeyPath): unknown {
  const entries = new Map<string, unknown>();
  if (take(reader, "}")) return {};
  do {
    skipSpace(reader);
    const { line } = reader;
    const name = readString(reader);
    const inner = [...path, name];
    if (entries.has(name)) reader.faults.push({ situation: "policy.duplicate-key", line, key: dottedKey(inner) });
    else reader.lines.set(dottedKey(inner), line);
    if (!take(reader, ":")) unexpected(reader);
    entries.set(name, readValue(reader, inner));
  } while (take(reader, ","));
  if (!take(reader, "}")) unexpected(reader);
  return Object.fromEntries(entries);
}

function readArray(reader: Reader, path: KeyPath): unknown {
  const items: unknown[] = [];
  if (take(reader, "]")) return items;
  do {
    skipSpace(reader);
    const inner = [...path, items.length];
    reader.lines.set(dottedKey(inner), reader.line);
    items.push(readValue(reader, inner));
  } while (take(reader, ","));
  if (!take(reader, "]")) unexpected(reader);
  return items;
}

function readValue(reader: Reader, path: KeyPath): unknown {
  if (path.length > maximumDepth) failSource("policy.too-deep", reader.line, { maximum: maximumDepth });
  if (take(reader, "{")) return readObject(reader, path);
  if (take(reader, "[")) return readArray(reader, path);
  if (reader.text[reader.at] === '"') return readString(reader);
  const word = match(reader, literalPattern);
  if (word !== undefined) return literals.get(word);
  const digits = match(reader, numberPattern);
  return digits === undefined ? unexpected(reader) : Number(digits);
}

/** @throws SourceFault with every duplicate key, or the first thing that is not JSON */
export function readJson(text: string): PlainSource {
  const reader: Reader = { text, at: 0, line: 1, lines: new Map(), faults: [] };
  skipSpace(reader);
  reader.lines.set("", lineAt(text, reader.at));
  const value = readValue(reader, []);
  skipSpace(reader);
  if (reader.at < text.length) unexpected(reader);
  const [first, ...rest] = reader.faults;
  if (first !== undefined) throw new SourceFault([first, ...rest]);
  return { value, lines: reader.lines };
}
