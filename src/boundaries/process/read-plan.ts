// What the guard is told in strict mode: the denials of reading, as rules about paths whether or not anything lies there yet. Pure.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import type { GuardMediation, ReadRule } from "../../guard/guard.ts";
import { exemptPaths } from "./denied-globs.ts";
import type { View } from "./view.ts";

function literal(effect: "denyLiteral" | "allowLiteral", path: string): ReadRule {
  const names = path.split("/").filter((name) => name !== "");
  return { effect, segments: names.map((text) => ({ kind: "literal", text })) };
}

/** The mounts and Landlock hold the same rules; here they also hold for what the host puts in the place of something. */
export function readingOf({ paths }: SandboxSpec, view: View): Pick<GuardMediation, "reading"> {
  if (paths.strict !== true) return {};
  const denied = [...view.places.filter(({ access }) => access === "hidden").map(({ path }) => path), ...view.holes, ...view.later];
  const opened = view.places.filter(({ access, around }) => access !== "hidden" && around === "hidden").map(({ path }) => path);
  const rules: readonly ReadRule[] = [
    ...denied.map((path) => literal("denyLiteral", path)),
    ...opened.map((path) => literal("allowLiteral", path)),
    ...(paths.denyReadGlobs ?? []).map(({ segments }) => ({ effect: "denyGlob" as const, segments })),
  ];
  return { reading: { rules, exempt: exemptPaths(paths) } };
}
