// What a sandbox sees of the host, as the smallest list of places where the access changes: the one source of the mounts and of the
// Landlock rules. Nothing is ever mounted over a missing path.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import type { Entry, FileTree } from "./file-tree.ts";
import { namesThroughLinks } from "./names-through-links.ts";
import { ancestorsOf, byDepth, childOf, isBelow } from "./paths.ts";
import { accessAt, canonicalPath, type Rule } from "./rules.ts";

export interface Place {
  /** Canonical, the same on the host and inside. */
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly access: "hidden" | "read" | "write";
  /** What was there when the plan was made; whatever is mounted must be it. */
  readonly identity: string;
  /** The access of the nearest place above it. */
  readonly around: "absent" | "hidden" | "read" | "write";
}

/** A directory of a write root that leads to a place which must stay where it is: mounted on itself, it cannot be renamed. */
export interface Pin {
  readonly path: string;
  /** As in a place. */
  readonly identity: string;
}

export interface View {
  /** Parents before children. */
  readonly places: readonly Place[];
  /** System secrets that the host's own permissions keep from the sandbox's user, whatever layer of ours is there. */
  readonly closed: readonly string[];
  /** Denied names in readable directories that do not exist now, or only behind a link: Landlock alone keeps them unreadable when they appear. */
  readonly holes: readonly string[];
  /** Denied names in write roots that do not exist now, or only behind a link: nobody makes them inside, and what the host puts there is masked. */
  readonly later: readonly string[];
  /** Names in write roots that may be read, not written, and do not exist now: the mediator alone keeps them from being made. */
  readonly unmade: readonly string[];
  /** Parents before children. */
  readonly pins: readonly Pin[];
}

interface Draft {
  readonly closed: string[];
  readonly places: Place[];
  readonly holes: string[];
  readonly later: string[];
  readonly unmade: string[];
}

function around(places: readonly Place[], path: string): Place["around"] {
  return places.findLast((place) => isBelow(path, place.path))?.access ?? "absent";
}

function refuse(situation: string, values: Readonly<Record<string, string | number>>): never {
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", situation, { values });
}

function addMissing(draft: Draft, rule: Rule, outer: Place["around"]): void {
  const { path } = rule;
  if (rule.effect === "write") refuse("wall.root-missing", { path });
  if (outer === "write" && rule.effect === "hide") draft.later.push(path);
  if (outer === "write" && rule.effect === "freeze") draft.unmade.push(path);
  if (outer === "read" && rule.effect === "hide") draft.holes.push(path);
}

/**
 * True when the host's own permissions keep a system secret from the sandbox's user: then no mask is needed, and none of the many rules
 * by which Landlock would leave it out. A directory counts by what it holds.
 */
function isClosed(tree: FileTree, path: string, entry: Entry): boolean {
  if (!tree.canReach(path)) return true;
  return entry.kind === "directory" && tree.names(path).every((name) => !tree.canReach(childOf(path, name)));
}

function addPlace(draft: Draft, tree: FileTree, rules: readonly Rule[], rule: Rule): void {
  const { path } = rule;
  const outer = around(draft.places, path);
  const entry = tree.look(path);
  if (entry === undefined) {
    addMissing(draft, rule, outer);
    return;
  }
  const access = accessAt(rules, path);
  if (outer === "read" && access === "hidden" && rule.origin === "built-in" && isClosed(tree, path, entry)) {
    draft.closed.push(path);
    return;
  }
  if (rule.effect === "write" && entry.kind !== "directory") refuse("wall.root-not-directory", { path });
  // Where the other names of what a policy denies lie is looked up exactly: linked-names.ts.
  if (access === "hidden" && rule.origin !== "policy" && entry.kind === "file" && entry.links > 1)
    refuse("wall.path-linked", { path, links: entry.links });
  if (access === "absent" || access === outer || (access === "hidden" && outer === "absent")) return;
  if (draft.places.some((place) => place.path === path)) return;
  if (entry.kind !== "file" && entry.kind !== "directory") {
    if (access === "hidden" || rule.origin === "policy") refuse("wall.path-special", { path });
    return;
  }
  draft.places.push({ path, kind: entry.kind, access, identity: entry.identity, around: outer });
}

/**
 * Renaming a directory above a mount point takes the mount point along and frees its name: each such directory is pinned.
 * @throws SANDBOX_OPEN_FAILED when one is gone since its places were found
 */
function pinsOf(places: readonly Place[], tree: FileTree): readonly Pin[] {
  const roots = places.filter(({ access }) => access === "write");
  const kept = places.filter((place) => place.around === "write" && place.access !== "write");
  const above = kept.flatMap((place) => {
    const root = roots.findLast(({ path }) => isBelow(place.path, path));
    return root === undefined ? [] : ancestorsOf(place.path).filter((ancestor) => isBelow(ancestor, root.path));
  });
  const paths = [...new Set(above)].filter((pin) => !places.some(({ path }) => path === pin)).toSorted(byDepth);
  return paths.map((path) => {
    const entry = tree.look(path);
    if (entry?.kind === "directory") return { path, identity: entry.identity };
    throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path } });
  });
}

/** Denied where a link is today: the name behind it counts as one that does not exist yet. */
function addBehindLinks(draft: Draft, { paths }: SandboxSpec, tree: FileTree): void {
  for (const path of new Set(paths.denyRead.flatMap((denied) => namesThroughLinks(tree, denied)))) {
    const outer = around(draft.places, path);
    if (outer === "write") draft.later.push(path);
    if (outer === "read") draft.holes.push(path);
  }
}

/** @throws PATH_RULE_UNENFORCEABLE */
export function viewOf(spec: SandboxSpec, tree: FileTree, rules: readonly Rule[]): View {
  const draft: Draft = { closed: [], places: [], holes: [], later: [], unmade: [] };
  for (const rule of rules.toSorted((left, right) => byDepth(left.path, right.path))) addPlace(draft, tree, rules, rule);
  addBehindLinks(draft, spec, tree);
  const project = canonicalPath(tree, spec.projectDirectory);
  if (tree.look(project)?.kind !== "directory") refuse("wall.project-missing", { path: project });
  return { ...draft, pins: pinsOf(draft.places, tree) };
}

/** What a command may do at a canonical path, as the finished view has it. */
export function accessInView(view: View, path: string): Place["around"] {
  const exact = view.places.findLast((place) => place.path === path);
  return exact?.access ?? around(view.places, path);
}
