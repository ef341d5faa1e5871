// Whether every sandbox shows a place by itself, without a word of a policy: the system, and known toolchains of a home.
import { isAtOrBelow } from "./paths.ts";
import { systemDirectories, systemNames } from "./system-tree.ts";
import { toolchainPaths } from "./toolchains.ts";

/** @param path canonical. Secrets of the system count as shown: naming one must not open it. */
export function isShownByDefault(home: string, path: string): boolean {
  const places = [...systemDirectories, ...systemNames, ...toolchainPaths.map((name) => `${home}/${name}`)];
  return places.some((place) => isAtOrBelow(path, place));
}
