// Who wins among path rules. Pure: paths are absolute, canonical and normalised.
import type { PathGlob, PathPolicy } from "../contracts/boundary.ts";
import { walkGlob } from "../kit/path-glob.ts";

export type PathVerdict = "allow" | "deny" | "default";

/** Is `path` the place `root` or below it? */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

/** Length of the deepest rule that covers the path, -1 when none does. Rules that cover one path are prefixes of it, so length is depth. */
function deepest(rules: readonly string[], path: string): number {
  let depth = -1;
  for (const rule of rules) if (rule.length > depth && isWithin(path, rule)) depth = rule.length;
  return depth;
}

/** The deny glob that covers the path, if one does. Only an allow of exactly what matches, which nothing denies, takes it out. */
export function coveringGlob(paths: PathPolicy, path: string): PathGlob | undefined {
  const isNamed = (place: string): boolean =>
    (paths.allowRead.includes(place) || paths.allowWrite.includes(place)) && !paths.denyRead.includes(place);
  return paths.denyReadGlobs?.find(({ segments }) => walkGlob(segments, path).matches.some((place) => !isNamed(place)));
}

/**
 * May the path be read? A deny glob wins over all but the exact name; else the deepest literal wins, a tie denies. Write roots count as allowed reads: what cannot be read cannot be edited.
 * `default`: no rule speaks; the boundary's default view decides (the system readable minus its secrets, the home directory absent).
 */
export function judgeRead(paths: PathPolicy, path: string): PathVerdict {
  const denied = deepest(paths.denyRead, path);
  const allowed = Math.max(deepest(paths.allowRead, path), deepest(paths.allowWrite, path));
  if (coveringGlob(paths, path) !== undefined) return "deny";
  if (denied === -1 && allowed === -1) return "default";
  return allowed > denied ? "allow" : "deny";
}

/**
 * May the path be changed on the host? Only inside a write root; a deny always wins, and what may not be read may not be written either
 * (it is masked). Never `default`: absence is not permission.
 */
export function judgeWrite(paths: PathPolicy, path: string): "allow" | "deny" {
  if (deepest(paths.allowWrite, path) === -1 || deepest(paths.denyWrite, path) !== -1) return "deny";
  return judgeRead(paths, path) === "allow" ? "allow" : "deny";
}
