// Package caches of the project, mounted into the private home. Their content is nobody's but sandboxes': no name in them is listed or hidden, and
// the rights are those of the private home around them. INVARIANT I-16
import type { SandboxSpec } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { LayoutOperation } from "./layout.ts";

export interface CacheTarget {
  /** Of the private home, inside. */
  readonly home: string;
  /** Where a path inside is laid out. */
  readonly laidOut: (path: string) => string;
  /** As the launcher has it; undefined: nothing is there. */
  readonly identityOf: (path: string) => string | undefined;
}

const isAtOrBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** Where they lie inside. */
export const cachePlaces = ({ caches }: SandboxSpec, home: string): readonly string[] =>
  (caches?.places ?? []).map(({ inside }) => `${home}/${inside}`);

/** A file of the private home at or below one would be made in the cache, for later tasks. @throws PATH_RULE_UNENFORCEABLE */
function refuseFilesWithin(spec: SandboxSpec, home: string): void {
  const targets = cachePlaces(spec, home);
  for (const name of Object.keys(spec.homeFiles ?? {})) {
    const cache = targets.find((target) => isAtOrBelow(`${home}/${name}`, target) || isAtOrBelow(target, `${home}/${name}`));
    if (cache === undefined) continue;
    throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.cache-covered", { values: { file: name, cache } });
  }
}

/** @throws PATH_RULE_UNENFORCEABLE; SANDBOX_OPEN_FAILED when one is gone since it was made */
export function cacheMounts(spec: SandboxSpec, { home, laidOut, identityOf }: CacheTarget): readonly LayoutOperation[] {
  refuseFilesWithin(spec, home);
  return (spec.caches?.places ?? []).map(({ source, inside }): LayoutOperation => {
    const identity = identityOf(source);
    if (identity === undefined) throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path: source } });
    return [spec.user.uid === 0 ? "idmap" : "bind", source, identity, laidOut(`${home}/${inside}`)];
  });
}
