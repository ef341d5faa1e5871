// The path rules of merged values as the boundary needs them: absolute and free of links.
import type { PathGlob, PathPolicy } from "../contracts/boundary.ts";
import type { PolicyFacts } from "../contracts/policy-port.ts";
import { builtInDenyRead, type LayerValues, sortedOnce } from "./layer-values.ts";
import { literalPath, parsePattern, resolveGlob, resolvePath, spellPattern } from "./path-pattern.ts";

/** Where an allow leads: the place behind its links, and only that. */
export function allowedPlace(text: string, facts: PolicyFacts): string {
  const absolute = resolvePath(literalPath(text), facts);
  return facts.canonicalPath?.(absolute) ?? absolute;
}

/** What a deny covers: the link and the place behind it. */
function deniedPlaces(text: string, facts: PolicyFacts): readonly string[] {
  return [resolvePath(literalPath(text), facts), allowedPlace(text, facts)];
}

function globsOf(text: string, facts: PolicyFacts): readonly PathGlob[] {
  const parsed = parsePattern(text);
  if (parsed.kind !== "glob") return [];
  const globs = resolveGlob(parsed.path, facts);
  return spellPattern(text) === builtInDenyRead ? globs.map((glob) => ({ ...glob, sparesToolchains: true })) : globs;
}

/** @param bounds spelled as in the document; see `PathPolicy.openedWithin` */
export function resolvedPaths(
  values: Pick<LayerValues, "allowRead" | "denyRead" | "allowWrite" | "denyWrite" | "protectAdd" | "strict">,
  facts: PolicyFacts,
  bounds: readonly (readonly string[])[] = [],
): PathPolicy {
  const { allowRead = [], denyRead = [], allowWrite = [], denyWrite = [], protectAdd = [], strict = false } = values;
  const globs = denyRead.flatMap((text) => globsOf(text, facts));
  const literals = denyRead.filter((text) => parsePattern(text).kind !== "glob");
  return {
    readDefault: "system",
    allowRead: sortedOnce(allowRead.map((text) => allowedPlace(text, facts))),
    denyRead: sortedOnce(literals.flatMap((text) => deniedPlaces(text, facts))),
    ...(globs.length === 0 ? {} : { denyReadGlobs: globs }),
    allowWrite: sortedOnce(allowWrite.map((text) => allowedPlace(text, facts))),
    denyWrite: sortedOnce(denyWrite.flatMap((text) => deniedPlaces(text, facts))),
    ...(strict ? { strict } : {}),
    ...(protectAdd.length === 0 ? {} : { protectedNames: protectAdd }),
    ...(bounds.length === 0 ? {} : { openedWithin: bounds.map((list) => sortedOnce(list.map((text) => allowedPlace(text, facts)))) }),
  };
}
