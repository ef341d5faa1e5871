// Bytes of a manifest or a runtime spec -> its documents as plain data, with line numbers. Strict, because what is judged here is read again by
// somebody else: whatever two readers could take differently is refused.
import { Lexer } from "yaml";
import { readJson } from "../json-source.ts";
import { maximumDepth, type PlainSource } from "../plain-source.ts";
import { failSource } from "../source-fault.ts";
import { lineAt, readSourceText } from "../source-text.ts";
import { readYamlStream } from "../yaml-source.ts";
import { maximumSpecBytes } from "./spec-format.ts";

export const maximumDocuments = 500;

/** Older YAML ends a line at each of these, YAML 1.2 does not: the rest of a comment would be a key to one reader and nothing to the other. */
const otherLineEnd = /[\u0085\u2028\u2029]/u;
/** Splitters of streams take every line for a marker that begins so; YAML takes this one for text. */
const gluedMarker = /^(?:---|\.\.\.)\S/mu;
const marker = /^(?:---|\.\.\.)/gmu;

/** An ordinary file of the largest size has three quarters of it. */
const maximumTokens = 400_000;
/** What the lexer puts before the text of a scalar. */
const scalarFollows = "\u001F";

/** A token of one byte is a node of a kilobyte: text that is nothing but punctuation is refused before it is parsed. */
function refuseDense(text: string): void {
  let tokens = 0;
  let depth = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (!isText && (token === "[" || token === "{")) depth += 1;
    if (!isText && (token === "]" || token === "}")) depth -= 1;
    isText = token === scalarFollows;
    if (depth > maximumDepth) failSource("policy.too-deep", 0, { maximum: maximumDepth });
    if (tokens > maximumTokens) failSource("pod-security.too-dense", 0, { maximum: maximumTokens });
  }
}

function readYamlDocuments(text: string): readonly PlainSource[] {
  for (const pattern of [otherLineEnd, gluedMarker]) {
    const position = text.search(pattern);
    if (position !== -1) failSource("pod-security.two-readings", lineAt(text, position));
  }
  // Counted before anything is parsed: an empty document is four bytes of text, and a thousand times that in memory.
  const markers = text.match(marker)?.length ?? 0;
  if (markers > maximumDocuments) failSource("pod-security.too-many-documents", 0, { maximum: maximumDocuments });
  refuseDense(text);
  // What lies between two markers may be a comment alone.
  return readYamlStream(text).filter(({ value }) => value !== null);
}

/** @throws SourceFault */
export function readDocuments(source: string | Uint8Array, format: "yaml" | "json"): readonly PlainSource[] {
  const text = readSourceText(source, maximumSpecBytes);
  return format === "json" ? [readJson(text)] : readYamlDocuments(text);
}
