// A schema as a map of names: which keys exist where, so that a finding can suggest the nearest one.
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

/** The texts that one branch takes. */
function choicesOf(branch: Node): readonly string[] {
  if (Array.isArray(branch["enum"])) return branch["enum"].map(String);
  return typeof branch["const"] === "string" ? [branch["const"]] : [];
}

/** What is known about the places of one schema. */
export interface SchemaMap {
  /** The texts that may stand at a place; empty when any may. */
  knownChoices(path: KeyPath): readonly string[];
  /** `Size`, `Duration`, `Path`, ...: the title of src/contracts/policy-values.ts. */
  titleAt(path: KeyPath): string;
  /** The regular expression that a text there must match; empty when there is none. */
  patternAt(path: KeyPath): string;
  /** What `name`, unknown at `path`, was probably meant to be: a sibling by spelling, else the same name at its right place. */
  nearestKey(path: KeyPath, name: string): string | undefined;
}

function plain(name: string): string {
  return name.replaceAll(/[-_\s]/gu, "").toLowerCase();
}

/** @param schema asked for once, and only for mistakes: to make the policy's takes 50 ms */
export function openSchemaMap(schema: () => Node): SchemaMap {
  // Made once, since a file with a thousand mistakes asks a thousand times.
  const root = lazily(schema);

  const schemaAt = (path: KeyPath): Node | undefined => {
    let node: Node | undefined = root();
    for (const step of path) node = node === undefined ? undefined : child(node, step);
    return node;
  };

  const knownKeys = (path: KeyPath): readonly string[] => {
    const node = schemaAt(path);
    return node === undefined
      ? []
      : branches(node).flatMap((branch) => (isRecord(branch["properties"]) ? Object.keys(branch["properties"]) : []));
  };

  /** Every key of the document that stands under a mapping (not in a list), dotted. */
  const everyKey = (path: KeyPath = []): readonly string[] =>
    knownKeys(path).flatMap((name) => [dottedKey([...path, name]), ...everyKey([...path, name])]);

  const wordAt = (path: KeyPath, word: string): string => {
    const text = schemaAt(path)?.[word];
    return typeof text === "string" ? text : "";
  };

  return {
    knownChoices: (path) => {
      const node = schemaAt(path);
      return node === undefined ? [] : branches(node).flatMap(choicesOf);
    },
    titleAt: (path) => (path.length === 0 ? "" : wordAt(path, "title")),
    patternAt: (path) => wordAt(path, "pattern"),
    nearestKey: (path, name) => {
      const siblings = knownKeys(path);
      const near = siblings.find((sibling) => plain(sibling) === plain(name)) ?? nearestName(name, siblings);
      return near ?? everyKey().find((key) => plain(key.slice(key.lastIndexOf(".") + 1)) === plain(name));
    },
  };
}

/** The map of the policy document. */
export const documentMap = openSchemaMap(policySchema);
