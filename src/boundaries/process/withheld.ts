// What somebody who may only narrow cannot open: a place that the default view hides, unless whoever he narrowed opened it too. INVARIANT I-15
import type { PathPolicy } from "../../contracts/boundary.ts";
import { isAtOrBelow } from "./paths.ts";

type Bounds = readonly (readonly string[])[];

/** Every bound must have an entry at or below each hidden place that the path lies in. All paths are canonical. */
export function isOpenedWithin(path: string, hidden: readonly string[], bounds: Bounds): boolean {
  const places = hidden.filter((hide) => isAtOrBelow(path, hide));
  const opens = (bound: readonly string[], hide: string): boolean =>
    bound.some((opened) => isAtOrBelow(path, opened) && isAtOrBelow(opened, hide));
  return bounds.every((bound) => places.every((hide) => opens(bound, hide)));
}

export interface HiddenFacts {
  /** What the default view hides, canonical; asked only where there is a bound. */
  readonly hidden: () => readonly string[];
  readonly canonical: (path: string) => string;
}

/** The entries of allowRead and allowWrite that open nothing, each once, as the policy spells them. */
export function withheldPaths({ allowRead, allowWrite, openedWithin = [] }: PathPolicy, facts: HiddenFacts): readonly string[] {
  if (openedWithin.length === 0) return [];
  const hidden = facts.hidden();
  const bounds = openedWithin.map((bound) => bound.map(facts.canonical));
  return [...new Set([...allowRead, ...allowWrite])].filter((path) => !isOpenedWithin(facts.canonical(path), hidden, bounds));
}
