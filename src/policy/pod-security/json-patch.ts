// What has to be changed in a document -> RFC 6902 operations that do it. It changes nothing itself.
import type { PatchOperation } from "../../contracts/pod-security.ts";
import type { KeyPath } from "../key-path.ts";
import { isRecord } from "../plain-value.ts";

export type Fix =
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: unknown }
  | { readonly kind: "remove"; readonly path: KeyPath };

/** RFC 6901 */
const pointerOf = (path: KeyPath): string => path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Unlike `valueAt`, tells null, which is replaced, from nothing, which is added to. */
function memberAt(document: unknown, path: KeyPath): { readonly isThere: boolean; readonly value: unknown } {
  let value = document;
  for (const step of path) {
    if (typeof step === "number" && Array.isArray(value) && step < value.length) value = value[step];
    else if (typeof step === "string" && isRecord(value) && Object.hasOwn(value, step)) value = value[step];
    else return { isThere: false, value: undefined };
  }
  return { isThere: true, value };
}

/** Each missing mapping on the way is made first. */
function setOperations(document: unknown, made: Set<string>, { path, value }: Fix & { readonly kind: "set" }): PatchOperation[] {
  const operations: PatchOperation[] = [];
  for (let length = 1; length <= path.length; length += 1) {
    const prefix = path.slice(0, length);
    const pointer = pointerOf(prefix);
    if (made.has(pointer)) continue;
    const isLast = length === path.length;
    const present = memberAt(document, prefix);
    if (!isLast && present.isThere && present.value !== null) continue;
    made.add(pointer);
    operations.push({ op: present.isThere ? "replace" : "add", path: pointer, value: isLast ? value : {} });
  }
  return operations;
}

/** Later items of a list first, so that none moves before it is reached. */
function laterFirst(left: KeyPath, right: KeyPath): number {
  for (const [index, step] of left.entries()) {
    const other = right[index];
    if (other === undefined) return -1;
    if (step === other) continue;
    return typeof step === "number" && typeof other === "number" ? other - step : String(other) < String(step) ? -1 : 1;
  }
  return left.length - right.length;
}

/** Fixes that say the same twice are made once; what is set is set before anything is removed. */
export function patchFor(document: unknown, fixes: readonly Fix[]): PatchOperation[] {
  const made = new Set<string>();
  const sets = fixes.flatMap((fix) => (fix.kind === "set" ? setOperations(document, made, fix) : []));
  const removed = new Map(fixes.flatMap((fix) => (fix.kind === "remove" ? [[pointerOf(fix.path), fix.path] as const] : [])));
  const removals = [...removed]
    .filter(([, path]) => memberAt(document, path).isThere)
    .toSorted(([, left], [, right]) => laterFirst(left, right))
    .map(([path]) => ({ op: "remove" as const, path }));
  return [...sets, ...removals];
}
