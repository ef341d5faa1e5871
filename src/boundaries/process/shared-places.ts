// Package caches of the project, mounted into the private home. Their content is nobody's but sandboxes': no name in them is listed or hidden, and
// the rights are those of the private home around them.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { FileTree } from "./file-tree.ts";
import { homeInside } from "./inside.ts";
import type { LayoutOperation } from "./layout.ts";
import { isAtOrBelow } from "./paths.ts";
import { inView } from "./view-layout.ts";

/** Where they lie inside. */
export const sharedTargets = ({ caches }: SandboxSpec): readonly string[] =>
  (caches?.places ?? []).map(({ inside }) => `${homeInside}/${inside}`);

/** A file of the private home at or below one would be made in the cache, for later tasks. @throws PATH_RULE_UNENFORCEABLE */
function refuseFilesWithin(spec: SandboxSpec): void {
  const targets = sharedTargets(spec);
  for (const name of Object.keys(spec.homeFiles ?? {})) {
    const cache = targets.find((target) => isAtOrBelow(`${homeInside}/${name}`, target) || isAtOrBelow(target, `${homeInside}/${name}`));
    if (cache === undefined) continue;
    throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.cache-covered", { values: { file: name, cache } });
  }
}

/** @throws PATH_RULE_UNENFORCEABLE; SANDBOX_OPEN_FAILED when one is gone since it was made */
export function sharedMounts(spec: SandboxSpec, tree: FileTree): readonly LayoutOperation[] {
  refuseFilesWithin(spec);
  return (spec.caches?.places ?? []).map(({ source, inside }): LayoutOperation => {
    const entry = tree.look(source);
    if (entry === undefined) throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path: source } });
    return [spec.user.uid === 0 ? "idmap" : "bind", source, entry.identity, inView(`${homeInside}/${inside}`)];
  });
}
