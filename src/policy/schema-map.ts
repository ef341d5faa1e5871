// The policy schema as a map of names: which keys exist where, so that a finding can suggest the nearest one.
import * as z from "zod";
import { policyDocumentSchema } from "../contracts/policy-document.ts";
import { lazily } from "../kit/lazily.ts";
import { nearestName } from "../kit/nearest-name.ts";
import { type KeyPath, dottedKey } from "./key-path.ts";
import { isRecord } from "./plain-value.ts";

/** JSON Schema (draft 2020-12) of a whole document: what an editor completes from, and what `glovebox policy schema` prints. */
export function policySchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(policyDocumentSchema(), { io: "input" }), title: "Glovebox policy", $id: "urn:glovebox:policy:v1" };
}

// Made once, since a file with a thousand mistakes asks a thousand times; and only for mistakes, since it costs every start 50 ms.
const documentSchema = lazily(policySchema);

type Node = Readonly<Record<string, unknown>>;

/** The node itself and the members of its `anyOf`. */
function branches(node: Node): readonly Node[] {
  const any = node["anyOf"];
  return Array.isArray(any) ? [node, ...any.filter(isRecord)] : [node];
}

function child(node: Node, step: string | number): Node | undefined {
  for (const branch of branches(node)) {
    const { properties, items, additionalProperties } = branch;
    if (typeof step === "number" && isRecord(items)) return items;
    if (typeof step === "string" && isRecord(properties) && Object.hasOwn(properties, step) && isRecord(properties[step]))
      return properties[step];
    if (typeof step === "string" && isRecord(additionalProperties)) return additionalProperties;
  }
  return undefined;
}

/** The schema of a place, or undefined where there is none. */
export function schemaAt(path: KeyPath): Node | undefined {
  let node: Node | undefined = documentSchema();
  for (const step of path) node = node === undefined ? undefined : child(node, step);
  return node;
}

/** The names known at a place. */
export function knownKeys(path: KeyPath): readonly string[] {
  const node = schemaAt(path);
  return node === undefined
    ? []
    : branches(node).flatMap((branch) => (isRecord(branch["properties"]) ? Object.keys(branch["properties"]) : []));
}

/** The texts that may stand at a place; empty when any may. */
export function knownChoices(path: KeyPath): readonly string[] {
  const node = schemaAt(path);
  if (node === undefined) return [];
  return branches(node).flatMap((branch) => {
    if (Array.isArray(branch["enum"])) return branch["enum"].map(String);
    return typeof branch["const"] === "string" ? [branch["const"]] : [];
  });
}

/** `Size`, `Duration`, `Path`, ...: the title of src/contracts/policy-values.ts. */
export function titleAt(path: KeyPath): string {
  const title = path.length === 0 ? undefined : schemaAt(path)?.["title"];
  return typeof title === "string" ? title : "";
}

/** The regular expression that a text there must match; empty when there is none. */
export function patternAt(path: KeyPath): string {
  const pattern = schemaAt(path)?.["pattern"];
  return typeof pattern === "string" ? pattern : "";
}

function plain(name: string): string {
  return name.replaceAll(/[-_\s]/gu, "").toLowerCase();
}

/** Every key of the document that stands under a mapping (not in a list), dotted. */
function everyKey(path: KeyPath = []): readonly string[] {
  return knownKeys(path).flatMap((name) => [dottedKey([...path, name]), ...everyKey([...path, name])]);
}

/** What `name`, unknown at `path`, was probably meant to be: a sibling by spelling, else the same name at its right place. */
export function nearestKey(path: KeyPath, name: string): string | undefined {
  const siblings = knownKeys(path);
  const near = siblings.find((sibling) => plain(sibling) === plain(name)) ?? nearestName(name, siblings);
  return near ?? everyKey().find((key) => plain(key.slice(key.lastIndexOf(".") + 1)) === plain(name));
}
