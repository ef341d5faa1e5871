// Pure questions about absolute, normalised paths. It never looks at the disk.
import path from "node:path";

const slash = 0x2f;

/** Number of components; `/` is 0. */
export function depthOf(absolute: string): number {
  if (absolute === "/") return 0;
  let depth = 0;
  for (let at = absolute.indexOf("/"); at >= 0; at = absolute.indexOf("/", at + 1)) depth += 1;
  return depth;
}

/** True for the directory itself and everything below it. */
export function isAtOrBelow(candidate: string, directory: string): boolean {
  return candidate === directory || isBelow(candidate, directory);
}

/** True only strictly below. */
export function isBelow(candidate: string, directory: string): boolean {
  if (directory === "/") return candidate !== "/";
  // A plan asks this ten thousand times: no text is made for it.
  return candidate.charCodeAt(directory.length) === slash && candidate.startsWith(directory);
}

/** Parents before children; equal depths by name, so that a plan is the same for the same input. */
export function byDepth(left: string, right: string): number {
  const difference = depthOf(left) - depthOf(right);
  if (difference !== 0) return difference;
  return left < right ? -1 : Number(left > right);
}

/** `/a/b/c` -> `/a`, `/a/b` */
export function ancestorsOf(absolute: string): readonly string[] {
  const result: string[] = [];
  for (let parent = path.posix.dirname(absolute); parent !== "/"; parent = path.posix.dirname(parent)) result.unshift(parent);
  return result;
}

/** `-> /a/b` for `/a` and `b`; `/b` for `/` and `b`. */
export function childOf(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}
