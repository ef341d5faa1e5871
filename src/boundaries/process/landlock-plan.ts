// The Landlock rules of a view. Landlock only ever adds rights, downwards and across mounts, so a directory that holds something denied
// is never opened as a whole: its other entries are, one by one. Rights inside write roots are whole; denials there are the mounts'.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { FileTree } from "./file-tree.ts";
import { guardInside, inputInside, scratchInside } from "./inside.ts";
import { childOf, isAtOrBelow, isBelow } from "./paths.ts";
import type { View } from "./view.ts";

/**
 * What a rule allows at and below its path. `list` is the right to read directories, which tells names but no content; `writeRoot` is whole for
 * the guard, and without what writes or makes names for commands: that is the mediator's. */
export type RightsName = "list" | "read" | "write" | "writeRoot" | "device" | "terminal" | "processFiles";

export interface LandlockRule {
  readonly path: string;
  readonly rights: RightsName;
  /** A rule for a path that is absent is left out; a missing right only ever denies. */
  readonly isOptional: boolean;
}

/** More would make every open slow; a directory of ten thousand entries with one denied name is better denied whole. */
export const rulesMax = 4000;

const fixedRules: readonly LandlockRule[] = [
  // Names everywhere in the view, so that `ls /` works: what is not mounted has no name, and no content is opened by it.
  { path: "/", rights: "list", isOptional: false },
  // It is what joins a connection from outside to a port inside: a command like any other.
  { path: guardInside, rights: "read", isOptional: true },
  { path: inputInside, rights: "read", isOptional: true },
  { path: scratchInside, rights: "write", isOptional: true },
  { path: "/proc", rights: "processFiles", isOptional: false },
  { path: "/dev/pts", rights: "terminal", isOptional: true },
  { path: "/dev/shm", rights: "write", isOptional: true },
  ...["null", "zero", "full", "random", "urandom", "tty", "ptmx"].map((name): LandlockRule => ({
    path: `/dev/${name}`,
    rights: "device",
    isOptional: true,
  })),
];

interface Expansion {
  readonly tree: FileTree;
  readonly denied: readonly string[];
  readonly rules: LandlockRule[];
}

function addReadable(expansion: Expansion, path: string): void {
  const { tree, denied, rules } = expansion;
  if (denied.includes(path)) return;
  if (!denied.some((hole) => isBelow(hole, path))) {
    rules.push({ path, rights: "read", isOptional: true });
    if (rules.length > rulesMax)
      throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.too-many-rules", { values: { path, maximum: rulesMax } });
    return;
  }
  for (const { name, kind } of tree.list(path)) {
    // A rule on a link would open its target; reading the link itself needs no right.
    if (kind !== "link") addReadable(expansion, childOf(path, name));
  }
}

/** @throws PATH_RULE_UNENFORCEABLE when a denied path would need more than `rulesMax` rules */
export function landlockRules(view: View, tree: FileTree, dataFiles: readonly string[]): readonly LandlockRule[] {
  const hidden = view.places.filter(({ access }) => access === "hidden").map(({ path }) => path);
  const expansion: Expansion = { tree, denied: [...hidden, ...view.holes], rules: [...fixedRules] };
  for (const place of view.places) {
    if (place.access === "write") expansion.rules.push({ path: place.path, rights: "writeRoot", isOptional: false });
    // Inside a write root a read-only place inherits the root's rights: a rule would change nothing.
    else if (place.access === "read" && place.around !== "write") addReadable(expansion, place.path);
  }
  for (const path of dataFiles) {
    if (!expansion.rules.some((rule) => rule.rights === "read" && isAtOrBelow(path, rule.path))) {
      expansion.rules.push({ path, rights: "read", isOptional: true });
    }
  }
  return expansion.rules;
}
