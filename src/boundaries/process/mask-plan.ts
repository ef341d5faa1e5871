// What the masker is told: the denials that mounts made at open cannot hold alone. Pure.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { type GlobSegment, literalSegments, walkGlob } from "../../kit/path-glob.ts";
import { exemptPaths, globThatDenies } from "./denied-globs.ts";
import type { FileTree } from "./file-tree.ts";
import { maskerSizes } from "./masker-protocol.ts";
import { isAtOrBelow } from "./paths.ts";
import { canonicalPath } from "./rules.ts";
import { toolchainPaths } from "./toolchains.ts";
import type { View } from "./view.ts";

export interface MaskRule {
  /** A `literal` is a path that the plan hides already, or where nothing is yet: the host may put another file there. */
  readonly kind: "literal" | "glob";
  /** For people and records. */
  readonly text: string;
  readonly segments: readonly GlobSegment[];
  readonly sparesToolchains: boolean;
}

export interface MaskPlan {
  /** What the sandbox shows of the host, without what lies in another of them: only where a rule may match. */
  readonly places: readonly string[];
  readonly rules: readonly MaskRule[];
  /** Paths that an allow names exactly: no glob denies them. */
  readonly exempt: readonly string[];
  /** A place whose file system does not tell of what others change there: every open is mediated instead. */
  readonly untold: string | undefined;
  /** The guard judges every open, so that a mask is one of two layers and nothing depends on a notice. */
  readonly isStrict: boolean;
}

/** A mask goes with the file that the host replaces; what lies outside write roots Landlock denies all the same. */
function literalRules(view: View): readonly MaskRule[] {
  const hidden = view.places.filter(({ access, around }) => access === "hidden" && around === "write").map(({ path }) => path);
  return [...hidden, ...view.later].map((path) => ({
    kind: "literal",
    text: path,
    segments: literalSegments(path),
    sparesToolchains: false,
  }));
}

function globRules({ paths }: SandboxSpec): readonly MaskRule[] {
  return (paths.denyReadGlobs ?? []).map(({ text, segments, sparesToolchains = false }) => ({
    kind: "glob",
    text,
    segments,
    sparesToolchains,
  }));
}

/** Toolchains that nobody but the default view shows: neither named by the policy nor worked in. */
function sparedPlaces({ paths, projectDirectory, user }: SandboxSpec, tree: FileTree): ReadonlySet<string> {
  const named = [projectDirectory, ...paths.allowRead, ...paths.allowWrite].map((path) => canonicalPath(tree, path));
  const isNamed = (place: string): boolean => named.some((path) => isAtOrBelow(path, place) || isAtOrBelow(place, path));
  const toolchains = toolchainPaths.map((name) => tree.canonical(`${user.home}/${name}`) ?? "");
  return new Set(toolchains.filter((place) => place !== "" && !isNamed(place)));
}

function refuseTooMuch(places: readonly string[], rules: readonly MaskRule[]): void {
  const refuse = (situation: string, values: Readonly<Record<string, string | number>>): never => {
    throw new GloveboxError("PATH_RULE_UNENFORCEABLE", situation, { values });
  };
  const deep = rules.find(({ segments }) => segments.length > maskerSizes.segmentsMax);
  if (deep !== undefined) refuse("wall.mask-too-deep", { path: deep.text, maximum: maskerSizes.segmentsMax });
  const sizeOf = ({ segments }: MaskRule): number => segments.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 3, 1);
  const long = rules.find((rule) => sizeOf(rule) > maskerSizes.frameMax);
  if (long !== undefined) refuse("wall.mask-too-deep", { path: long.text, maximum: maskerSizes.segmentsMax });
  const most = rules.length > maskerSizes.rulesMax ? maskerSizes.rulesMax : maskerSizes.placesMax;
  if (rules.length > maskerSizes.rulesMax || places.length > maskerSizes.placesMax) refuse("wall.mask-too-many", { maximum: most });
}

/** INVARIANT I-05: a project or write root in what a pattern denies cannot be worked in, and would undo the pattern. */
function refuseDeniedWork({ paths }: SandboxSpec, work: readonly string[]): void {
  for (const path of work) {
    const rule = globThatDenies(paths, path);
    if (rule !== undefined) throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.work-hidden", { values: { path, rule } });
  }
}

/**
 * Undefined when the mounts hold everything.
 * @throws PATH_RULE_UNENFORCEABLE
 */
export function maskPlanOf(spec: SandboxSpec, tree: FileTree, view: View): MaskPlan | undefined {
  const roots = view.places.filter(({ access }) => access === "write").map(({ path }) => path);
  refuseDeniedWork(spec, [canonicalPath(tree, spec.projectDirectory), ...roots]);
  const rules = [...literalRules(view), ...globRules(spec)];
  if (rules.length === 0) return undefined;
  const tops = view.places.filter(({ access, around }) => access !== "hidden" && (around === "absent" || around === "hidden"));
  const spared = sparedPlaces(spec, tree);
  const isConcerned = (path: string): boolean =>
    rules.some(({ segments, sparesToolchains }) => {
      if (sparesToolchains && spared.has(path)) return false;
      const { matches, mayMatchBelow } = walkGlob(segments, path);
      return mayMatchBelow || matches.length > 0;
    });
  const places = tops.map(({ path }) => path).filter(isConcerned);
  if (places.length === 0) return undefined;
  refuseTooMuch(places, rules);
  const untold = places.find((path) => !tree.tellsOfChanges(path));
  return { places, rules, exempt: exemptPaths(spec.paths), untold, isStrict: spec.paths.strict === true || untold !== undefined };
}
