// Turns the path policy and the default view into rules about canonical paths. The deepest literal decides; a tie denies; what a
// person wrote beats the built-in rows about exactly the same path.
import { posix } from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { PathPolicy, SandboxSpec } from "../../contracts/boundary.ts";
import { globThatDenies } from "./denied-globs.ts";
import type { FileTree } from "./file-tree.ts";
import { privateBases } from "./inside.ts";
import { ancestorsOf, childOf, depthOf, isAtOrBelow, isBelow } from "./paths.ts";
import { loaderFiles, systemDirectories, systemNames, systemSecretPatterns, systemSecrets } from "./system-tree.ts";
import { toolchainPaths } from "./toolchains.ts";
import { isOpenedWithin, withheldPaths } from "./withheld.ts";

/** Who wants it, weakest first: built-in rows, the policy, and what no policy can change. */
export type RuleOrigin = "built-in" | "policy" | "protected";

export interface Rule {
  /** Canonical. */
  readonly path: string;
  /** `hide` and `freeze` deny reading and writing. */
  readonly effect: "show" | "hide" | "write" | "freeze";
  readonly origin: RuleOrigin;
}

/** A directory of Glovebox itself. */
export interface ProtectedPath {
  /** Absolute. */
  readonly path: string;
  /** `hidden` (state, runtime): never readable inside. `read-only` (the installation): readable where a rule shows it, never writable. */
  readonly access: "hidden" | "read-only";
}

const strength: Record<RuleOrigin, number> = { "built-in": 0, policy: 2, protected: 4 };

/** Higher wins: depth first, then origin, then denial. A protected row wins at any depth. */
function weight(rule: Rule): number {
  const denies = rule.effect === "hide" || rule.effect === "freeze" ? 1 : 0;
  const reach = rule.origin === "protected" ? 1_000_000 : depthOf(rule.path) * 10;
  return reach + strength[rule.origin] + denies;
}

function strongest(rules: readonly Rule[], absolute: string, effects: readonly Rule["effect"][]): Rule | undefined {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!effects.includes(rule.effect) || !isAtOrBelow(absolute, rule.path)) continue;
    if (best === undefined || weight(rule) > weight(best)) best = rule;
  }
  return best;
}

export type Access = "absent" | "hidden" | "read" | "write";

/** What a command may do at a path. A denial of writing wins at any depth; `hidden` was denied by a rule, `absent` was never opened. */
export function accessAt(rules: readonly Rule[], absolute: string): Access {
  const read = strongest(rules, absolute, ["show", "write", "hide"]);
  if (read === undefined) return "absent";
  if (read.effect === "hide") return "hidden";
  const isFrozen = rules.some((rule) => rule.effect === "freeze" && isAtOrBelow(absolute, rule.path));
  if (isFrozen) return "read";
  return rules.some((rule) => rule.effect === "write" && isAtOrBelow(absolute, rule.path)) ? "write" : "read";
}

/** One look at a directory spares a look at each of fifty names in it. A directory that cannot be listed is asked name by name. */
function presentIn(tree: FileTree, directory: string, names: readonly string[]): readonly string[] {
  const listed = new Set(tree.names(directory));
  const first = (name: string): string => name.split("/", 1)[0] ?? name;
  return names.filter((name) => listed.size === 0 || listed.has(first(name))).map((name) => childOf(directory, name));
}

function shownByDefault(spec: SandboxSpec, tree: FileTree): readonly string[] {
  const directories = systemNames.filter((name) => tree.look(name)?.kind === "directory");
  if (spec.paths.readDefault === "none") return [...directories, ...loaderFiles];
  return [...directories, ...systemDirectories, ...presentIn(tree, spec.user.home, toolchainPaths)];
}

function secretsOf(tree: FileTree): readonly string[] {
  const matching = systemSecretPatterns.flatMap(({ directory, name }) =>
    tree
      .names(directory)
      .filter((entry) => name.test(entry))
      .map((entry) => childOf(directory, entry)),
  );
  return [...presentIn(tree, "/etc", systemSecrets), ...matching];
}

function builtInRules(spec: SandboxSpec, tree: FileTree): Rule[] {
  const rules: Rule[] = [];
  for (const path of shownByDefault(spec, tree)) {
    const real = tree.canonical(path);
    // A link that leads up (~/.tool -> ~) would show what the row never meant.
    if (real === undefined || isReserved(real) || isAtOrBelow(spec.user.home, real)) continue;
    rules.push({ path: real, effect: "show", origin: "built-in" });
  }
  for (const path of secretPlaces(tree)) rules.push({ path, effect: "hide", origin: "built-in" });
  return rules;
}

function secretPlaces(tree: FileTree): readonly string[] {
  return secretsOf(tree).flatMap((path) => tree.canonical(path) ?? []);
}

const isDenial = ({ effect }: Rule): boolean => effect === "hide" || effect === "freeze";

function hiddenByDefault(home: string, tree: FileTree): readonly string[] {
  return [home, ...secretPlaces(tree)];
}

/** The entries of a policy that open nothing on this machine. @param home of the user */
export function withheldOn(tree: FileTree, paths: PathPolicy, home: string): readonly string[] {
  const canonical = (path: string): string => canonicalPath(tree, path);
  return withheldPaths(paths, { canonical, hidden: () => hiddenByDefault(canonical(home), tree) });
}

/** The longest existing part without links, and the rest as written. */
export function canonicalPath(tree: FileTree, absolute: string): string {
  const real = tree.canonical(absolute);
  if (real !== undefined || absolute === "/") return real ?? "/";
  const cut = absolute.lastIndexOf("/");
  return childOf(canonicalPath(tree, absolute.slice(0, cut) || "/"), absolute.slice(cut + 1));
}

/** Where the sandbox has its own trees: no host path is ever shown or masked there. */
function isReserved(absolute: string): boolean {
  return ["/", "/run"].includes(absolute) || ["/proc", "/dev", ...privateBases].some((own) => isAtOrBelow(absolute, own));
}

/** "Everything" as the directories of `/` that can be shown. A home among them is not named by it. */
function topDirectories(tree: FileTree, home: string): readonly string[] {
  const directories = tree.list("/").filter(({ kind }) => kind === "directory");
  return directories.map(({ name }) => childOf("/", name)).filter((path) => !isReserved(path) && path !== "/tmp" && path !== home);
}

/** The links on the way to a path, each by its canonical place. */
function linksOnTheWay(tree: FileTree, absolute: string): readonly string[] {
  return [...ancestorsOf(absolute), absolute]
    .filter((path) => tree.look(path)?.kind === "link")
    .map((path) => childOf(canonicalPath(tree, posix.dirname(path)), posix.basename(path)));
}

/**
 * A link in a write root is text that a sandbox wrote: followed, it would let one run choose what the next may read or write; and a
 * write denial of its name cannot be held. INVARIANT I-15
 */
function refusePlantedLinks({ paths }: SandboxSpec, tree: FileTree): void {
  const roots = paths.allowWrite.map((path) => canonicalPath(tree, path));
  const written = new Set([...paths.allowWrite, ...roots]);
  for (const path of [...paths.allowRead, ...paths.allowWrite, ...paths.denyWrite]) {
    const planted = linksOnTheWay(tree, path).find((link) => [...written].some((root) => isBelow(link, root)));
    if (planted !== undefined)
      throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.link-in-write-root", { values: { path, link: planted } });
  }
}

function policyRules(spec: SandboxSpec, tree: FileTree): Rule[] {
  const lists = [
    [spec.paths.allowRead, "show"],
    [spec.paths.denyRead, "hide"],
    [spec.paths.allowWrite, "write"],
    [spec.paths.denyWrite, "freeze"],
  ] as const;
  return lists.flatMap(([paths, effect]) =>
    paths
      .map((path) => canonicalPath(tree, path))
      .flatMap((path) => (path === "/" && effect === "show" ? topDirectories(tree, canonicalPath(tree, spec.user.home)) : [path]))
      .map((path): Rule => {
        if (isReserved(path)) throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.path-reserved", { values: { path } });
        return { path, effect, origin: "policy" };
      }),
  );
}

/** A project in a directory that a rule hides cannot be worked in, and its write root would silently undo the rule. */
function refuseHiddenWork(rules: readonly Rule[], paths: readonly string[]): void {
  for (const path of paths) {
    const rule = strongest(
      rules.filter(({ origin }) => origin !== "protected"),
      path,
      ["show", "hide"],
    );
    if (rule?.effect === "hide") {
      throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.work-hidden", { values: { path, rule: rule.path } });
    }
  }
}

function refuseOwnHouse(roots: readonly string[], protectedPaths: readonly ProtectedPath[]): void {
  for (const root of roots) {
    for (const { path, access } of protectedPaths) {
      if (access === "hidden" && (isAtOrBelow(path, root) || isAtOrBelow(root, path))) {
        throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.state-in-write-root", { values: { path, root } });
      }
      if (access === "read-only" && isBelow(root, path)) {
        throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.root-in-installation", { values: { path, root } });
      }
    }
  }
}

/**
 * All rules of one sandbox, canonical.
 * @throws PATH_RULE_UNENFORCEABLE for a layout that would undo a rule
 */
export function compileRules(spec: SandboxSpec, tree: FileTree, protectedPaths: readonly ProtectedPath[]): readonly Rule[] {
  const own = protectedPaths.map(({ path, access }) => ({ path: canonicalPath(tree, path), access }));
  const project = canonicalPath(tree, spec.projectDirectory);
  if (isAtOrBelow(spec.user.home, project)) {
    throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.project-is-home", { values: { path: project, home: spec.user.home } });
  }
  refusePlantedLinks(spec, tree);
  const home = canonicalPath(tree, spec.user.home);
  const builtIn = builtInRules(spec, tree);
  const bounds = (spec.paths.openedWithin ?? []).map((bound) => bound.map((path) => canonicalPath(tree, path)));
  const hidden = bounds.length === 0 ? [] : hiddenByDefault(home, tree);
  const policy = policyRules(spec, tree).filter((rule) => isDenial(rule) || isOpenedWithin(rule.path, hidden, bounds));
  // What a person denies is not shown again by a deeper default of ours: ~/.cargo denied is ~/.cargo/bin denied.
  const denied = policy.filter(({ effect }) => effect === "hide").map(({ path }) => path);
  const isDenied = ({ path, effect }: Rule): boolean => effect === "show" && denied.some((place) => isAtOrBelow(path, place));
  const isMasked = ({ path, effect }: Rule): boolean => effect === "show" && globThatDenies(spec.paths, path) !== undefined;
  const rules: Rule[] = [...builtIn.filter((rule) => !isDenied(rule)), ...policy].filter((rule) => !isMasked(rule));
  const roots = policy.filter(({ effect }) => effect === "write").map(({ path }) => path);
  refuseHiddenWork(rules, [project, ...roots]);
  refuseOwnHouse(roots, own);
  // A home is absent even where a wider path is shown; only what is named below it comes back.
  rules.push({ path: home, effect: "hide", origin: "built-in" });
  rules.push({ path: project, effect: "show", origin: "built-in" });
  for (const { path, access } of own) rules.push({ path, effect: access === "hidden" ? "hide" : "freeze", origin: "protected" });
  return rules;
}
