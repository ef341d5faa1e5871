// JSON for standard output that is the same data for a program and harmless on a terminal. INVARIANT I-13
import { replaceUnsafe } from "./escape-text.ts";

function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");
}

/** Indented JSON and a line feed. Whatever could steer or deceive a terminal is written as a `\uXXXX` escape, which parses to the same string. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  if (text === undefined) throw new TypeError("Cannot write a value that JSON does not have");
  // Between strings JSON.stringify makes only line feeds and spaces; inside strings a line feed is already escaped.
  const lines = text.split("\n").map((line) => replaceUnsafe(line, unicodeEscape));
  return `${lines.join("\n")}\n`;
}

/** The same on one line and without the line feed, cut at `maximum` characters. For people: cut JSON does not parse. */
export function printableJsonLine(value: unknown, maximum = 2000): string {
  const text = JSON.stringify(value) ?? "";
  const line = replaceUnsafe(text.slice(0, maximum), unicodeEscape);
  return text.length > maximum ? `${line}... (${text.length - maximum} more characters)` : line;
}
