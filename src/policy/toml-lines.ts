// Finds on which line each key of a TOML text stands; the TOML library keeps no positions. Runs only on text that the library accepted,
// so it may be simple: where it cannot follow, the nearest known line is used.
import { type KeyPath, type LineIndex, dottedKey } from "./key-path.ts";

interface Scan {
  readonly text: string;
  at: number;
  line: number;
  readonly lines: Map<string, number>;
  /** Dotted key of an array of tables -> how many of them were begun. */
  readonly counts: Map<string, number>;
}

// Longest first: a triple quote begins with a single one.
const tokens: readonly RegExp[] = [/"""(?:[^\\]|\\[^])*?"{3,5}/uy, /'''[^]*?'{3,5}/uy, /"(?:[^"\\\n]|\\.)*"/uy, /'[^'\n]*'/uy, /#[^\n]*/uy];
const barePattern = /[\w-]+/uy;

function matchAt(scan: Scan, pattern: RegExp): string | undefined {
  const sticky = new RegExp(pattern.source, pattern.flags);
  sticky.lastIndex = scan.at;
  return sticky.exec(scan.text)?.[0];
}

function advance(scan: Scan, count: number): void {
  for (const end = Math.min(scan.at + count, scan.text.length); scan.at < end; scan.at += 1)
    if (scan.text[scan.at] === "\n") scan.line += 1;
}

/** Blanks and comments, with newlines when they mean nothing. */
function skipBlank(scan: Scan, withNewlines: boolean): void {
  for (;;) {
    const character = scan.text[scan.at];
    if (character === " " || character === "\t" || (withNewlines && character === "\n")) advance(scan, 1);
    else if (character === "#") advance(scan, matchAt(scan, /#[^\n]*/uy)?.length ?? 1);
    else return;
  }
}

function unquote(word: string): string {
  if (word.startsWith("'")) return word.slice(1, -1);
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    // fails closed because a name that is not found only costs the exact line: the surrounding line is shown
    return word;
  }
}

function readKey(scan: Scan): string[] {
  const names: string[] = [];
  for (;;) {
    skipBlank(scan, false);
    const word = matchAt(scan, /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/uy) ?? matchAt(scan, barePattern);
    if (word === undefined) return names;
    names.push(unquote(word));
    advance(scan, word.length);
    skipBlank(scan, false);
    if (scan.text[scan.at] !== ".") return names;
    advance(scan, 1);
  }
}

function note(scan: Scan, path: KeyPath, line: number): void {
  for (let length = 1; length <= path.length; length += 1) {
    const key = dottedKey(path.slice(0, length));
    if (!scan.lines.has(key)) scan.lines.set(key, line);
  }
}

function readPair(scan: Scan, table: KeyPath): void {
  const { line } = scan;
  const path = [...table, ...readKey(scan)];
  note(scan, path, line);
  skipBlank(scan, false);
  if (scan.text[scan.at] === "=") advance(scan, 1);
  skipBlank(scan, false);
  readValue(scan, path);
}

function readValue(scan: Scan, path: KeyPath): void {
  const character = scan.text[scan.at];
  if (character === "[") return readItems(scan, (index) => readItem(scan, [...path, index]));
  if (character === "{") return readItems(scan, () => readPair(scan, path));
  const word = tokens.map((token) => matchAt(scan, token)).find((found) => found !== undefined) ?? matchAt(scan, /[^,\]}\n#]+/uy);
  advance(scan, word?.length ?? 1);
}

function readItem(scan: Scan, path: KeyPath): void {
  note(scan, path, scan.line);
  readValue(scan, path);
}

/** The inside of `[...]` or `{...}`; the scan stands on the opening bracket. */
function readItems(scan: Scan, readOne: (index: number) => void): void {
  const close = scan.text[scan.at] === "[" ? "]" : "}";
  advance(scan, 1);
  for (let index = 0; scan.at < scan.text.length; index += 1) {
    skipBlank(scan, true);
    if (scan.text[scan.at] === close) break;
    readOne(index);
    skipBlank(scan, true);
    if (scan.text[scan.at] === ",") advance(scan, 1);
  }
  advance(scan, 1);
}

/** `[a.b]` and `[[a.b]]`: the path that following pairs belong to. */
function readHeader(scan: Scan): KeyPath {
  const { line } = scan;
  const isArray = scan.text[scan.at + 1] === "[";
  advance(scan, isArray ? 2 : 1);
  const names = readKey(scan);
  advance(scan, isArray ? 2 : 1);
  const path: (string | number)[] = [];
  for (const [position, name] of names.entries()) {
    path.push(name);
    const key = dottedKey(path);
    if (isArray && position === names.length - 1) scan.counts.set(key, (scan.counts.get(key) ?? 0) + 1);
    const count = scan.counts.get(key);
    if (count !== undefined) path.push(count - 1);
  }
  note(scan, path, line);
  return path;
}

/** Never throws on text that is valid TOML. */
export function findTomlLines(text: string): LineIndex {
  const scan: Scan = { text, at: 0, line: 1, lines: new Map([["", 1]]), counts: new Map() };
  let table: KeyPath = [];
  for (;;) {
    skipBlank(scan, true);
    const before = scan.at;
    if (before >= text.length) return scan.lines;
    if (text[before] === "[") table = readHeader(scan);
    else readPair(scan, table);
    if (scan.at === before) advance(scan, 1);
  }
}
