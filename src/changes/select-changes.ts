// Which changes of a list somebody means who names paths: those at the paths, and below them.
import type { Change } from "../contracts/changes.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";

/**
 * @param paths absolute; none means all
 * @throws USAGE_INVALID for a path at which nothing changed
 */
export function selectChanges(task: string, changes: readonly Change[], paths: readonly string[]): readonly Change[] {
  if (paths.length === 0) return changes;
  const isAtOrBelow = (change: Change, path: string): boolean =>
    change.path === path || change.path.startsWith(`${path === "/" ? "" : path}/`);
  const strange = paths.find((path) => !changes.some((change) => isAtOrBelow(change, path)));
  if (strange !== undefined) {
    throw new GloveboxError("USAGE_INVALID", "changes.path-unchanged", { values: { path: wellFormedByteText(strange), task } });
  }
  return changes.filter((change) => paths.some((path) => isAtOrBelow(change, path)));
}
