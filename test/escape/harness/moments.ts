// The moments of an opening at which somebody else may change the host's files: the boundary asks the signal, or writes the journal, at each.
import type { OpenContext } from "../../../src/contracts/boundary.ts";

/** In order; each is told once. */
export interface Moments {
  /** Nothing was looked at. */
  readonly journalled?: () => void;
  /** All was looked at, nothing of it is mounted. */
  readonly planned?: () => void;
  /** The mounts are being made. */
  readonly told?: () => void;
  /** The guard has answered, and the places have not been compared. */
  readonly mounted?: () => void;
}

function replace(signal: AbortSignal, name: "throwIfAborted" | "addEventListener", before: () => void): void {
  const call: unknown = Reflect.get(signal, name);
  if (typeof call !== "function") throw new TypeError(`Cannot watch "${name}"`);
  const value = (...given: readonly unknown[]): unknown => {
    before();
    return Reflect.apply(call, signal, given);
  };
  Object.defineProperty(signal, name, { value });
}

export function contextWith({ journalled, planned, told, mounted }: Moments): OpenContext {
  const signal = AbortSignal.timeout(120_000);
  let isJournalled = false;
  let asked = 0;
  replace(signal, "throwIfAborted", () => {
    if (isJournalled) asked += 1;
    // The first only asks whether to start.
    if (asked === 2) planned?.();
    if (asked === 3) mounted?.();
  });
  replace(signal, "addEventListener", () => told?.());
  const journal = async (): Promise<void> => {
    if (!isJournalled) journalled?.();
    isJournalled = true;
  };
  return { signal, journal };
}
