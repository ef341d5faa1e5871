// Applies a JSON patch (RFC 6902: add, replace, remove) the way another program would: it shares nothing with what makes patches.
import type { PatchOperation } from "../../../contracts/pod-security.ts";

const steps = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

function changed(node: unknown, [step, ...rest]: readonly string[], operation: PatchOperation): unknown {
  const { op, path, value } = operation;
  if (step === undefined) return value;
  if (Array.isArray(node)) {
    const index = Number(step);
    if (!Number.isInteger(index) || index >= node.length) throw new Error(`No item ${path}`);
    if (rest.length > 0) return node.map((item: unknown, at) => (at === index ? changed(item, rest, operation) : item));
    if (op === "remove") return node.filter((_item, at) => at !== index);
    if (op === "replace") return node.map((item: unknown, at) => (at === index ? value : item));
    throw new Error(`Items are not added here: ${path}`);
  }
  if (!isRecord(node)) throw new Error(`No place ${path}`);
  if (rest.length > 0) {
    if (!Object.hasOwn(node, step)) throw new Error(`No parent of ${path}`);
    return { ...node, [step]: changed(node[step], rest, operation) };
  }
  if (op !== "add" && !Object.hasOwn(node, step)) throw new Error(`Nothing at ${path}`);
  const others = Object.fromEntries(Object.entries(node).filter(([name]) => name !== step));
  return op === "remove" ? others : { ...others, [step]: value };
}

export const applyPatch = (document: unknown, patch: readonly PatchOperation[]): unknown =>
  patch.reduce<unknown>((current, operation) => changed(current, steps(operation.path), operation), document);
