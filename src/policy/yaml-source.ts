// YAML 1.2 -> plain data with line numbers. The subset a person needs: no anchors, aliases, tags, merge keys or further documents,
// so one text has one reading and nothing can multiply.
import {
  type Document,
  LineCounter,
  type ParsedNode,
  type Scalar,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  parseDocument,
} from "yaml";
import { type KeyPath, dottedKey } from "./key-path.ts";
import { type PlainSource, maximumDepth } from "./plain-source.ts";
import { type Fault, SourceFault, failSource } from "./source-fault.ts";

interface Walk {
  readonly lines: Map<string, number>;
  readonly faults: Fault[];
  lineAt(offset: number): number;
}

function report(
  walk: Walk,
  situation: string,
  at: { readonly path: KeyPath; readonly line: number },
  values: Fault["values"] = {},
): undefined {
  walk.faults.push({ situation, line: at.line, key: dottedKey(at.path), values });
}

/** The key's text; undefined after a finding. */
function readKey(walk: Walk, key: ParsedNode | null, path: KeyPath, line: number): string | undefined {
  if (!isScalar(key) || typeof key.value !== "string") return report(walk, "policy.key-not-text", { path, line });
  if (key.value === "<<") return report(walk, "policy.merge-key", { path, line });
  if (key.anchor !== undefined) report(walk, "policy.anchor", { path: [...path, key.value], line });
  if (key.tag !== undefined) report(walk, "policy.tag", { path: [...path, key.value], line });
  return key.value;
}

function readMap(
  walk: Walk,
  items: readonly { readonly key: ParsedNode | null; readonly value: ParsedNode | null }[],
  path: KeyPath,
): unknown {
  const entries = new Map<string, unknown>();
  for (const { key, value } of items) {
    const line = walk.lineAt(key?.range[0] ?? 0);
    const name = readKey(walk, key, path, line);
    if (name === undefined) continue;
    const inner = [...path, name];
    if (entries.has(name)) report(walk, "policy.duplicate-key", { path: inner, line });
    else walk.lines.set(dottedKey(inner), line);
    entries.set(name, readNode(walk, value, inner));
  }
  return Object.fromEntries(entries);
}

function readScalar(walk: Walk, scalar: Scalar.Parsed, path: KeyPath): unknown {
  const { value } = scalar;
  if (typeof value === "string" && !value.isWellFormed()) report(walk, "policy.not-utf8", { path, line: walk.lineAt(scalar.range[0]) });
  return value;
}

function readNode(walk: Walk, node: ParsedNode | null, path: KeyPath): unknown {
  if (node === null) return null;
  const line = walk.lineAt(node.range[0]);
  if (path.length > maximumDepth) return report(walk, "policy.too-deep", { path: [], line }, { maximum: maximumDepth });
  if (isAlias(node)) return report(walk, "policy.alias", { path, line });
  if (node.anchor !== undefined) report(walk, "policy.anchor", { path, line });
  if (node.tag !== undefined) report(walk, "policy.tag", { path, line });
  if (isMap(node)) return readMap(walk, node.items, path);
  if (isSeq(node)) {
    return node.items.map((item, index) => {
      walk.lines.set(dottedKey([...path, index]), walk.lineAt(item.range[0]));
      return readNode(walk, item, [...path, index]);
    });
  }
  return readScalar(walk, node, path);
}

// uniqueKeys compares every pair; readMap finds duplicates in linear time. Not "silent": that would swallow further documents.
const parseOptions = {
  version: "1.2",
  schema: "core",
  merge: false,
  uniqueKeys: false,
  strict: true,
  prettyErrors: false,
  resolveKnownTags: false,
  logLevel: "error",
} as const;

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return failSource("policy.too-deep", 1, { maximum: maximumDepth });
    throw error;
  }
}

/** What the parser calls a fault -> how a person is told, in any language. The rest is "unexpected". */
const situations: ReadonlyMap<string, string> = new Map([
  ["MULTIPLE_DOCS", "policy.several-documents"],
  ["RESOURCE_EXHAUSTION", "policy.too-deep"],
  ["BAD_INDENT", "policy.yaml-indent"],
  ["TAB_AS_INDENT", "policy.yaml-indent"],
  ["MISSING_CHAR", "policy.yaml-unclosed"],
  ["BAD_DQ_ESCAPE", "policy.yaml-escape"],
  ["MULTILINE_IMPLICIT_KEY", "policy.yaml-key"],
  ["BLOCK_AS_IMPLICIT_KEY", "policy.yaml-key"],
  ["KEY_OVER_1024_CHARS", "policy.yaml-key"],
]);

/** @throws SourceFault with every finding */
function readDocument(document: Document.Parsed, lineCounter: LineCounter): PlainSource {
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line);
  const faults: Fault[] = document.errors.slice(0, 20).map((error) => ({
    situation: situations.get(error.code) ?? "policy.yaml-unexpected",
    line: lineAt(error.pos[0]),
    key: "",
    values: { maximum: maximumDepth },
  }));
  const { yaml, tags } = document.directives;
  if (yaml.explicit === true && yaml.version !== "1.2") faults.push({ situation: "policy.yaml-version", line: 1, key: "" });
  if (Object.keys(tags).some((handle) => handle !== "!!")) faults.push({ situation: "policy.tag", line: 1, key: "" });
  const top = document.contents === null ? 1 : lineAt(document.contents.range[0]);
  const walk: Walk = { lines: new Map([["", top]]), faults, lineAt };
  const value = faults.length === 0 ? readNode(walk, document.contents, []) : undefined;
  const [first, ...rest] = faults;
  if (first !== undefined) throw new SourceFault([first, ...rest]);
  return { value, lines: walk.lines };
}

/** One document. @throws SourceFault with every finding */
export function readYaml(text: string): PlainSource {
  const lineCounter = new LineCounter();
  return readDocument(
    parsed(() => parseDocument(text, { ...parseOptions, lineCounter })),
    lineCounter,
  );
}

/** All documents of a text, in order; none of an empty one. @throws SourceFault with every finding about the first that has any */
export function readYamlStream(text: string): readonly PlainSource[] {
  const lineCounter = new LineCounter();
  const documents = parsed(() => parseAllDocuments(text, { ...parseOptions, lineCounter }));
  return Array.isArray(documents) ? documents.map((document) => readDocument(document, lineCounter)) : [];
}
