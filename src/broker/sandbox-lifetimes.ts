// How long a sandbox that outlives its commands is there. INVARIANT I-10
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { type SandboxOpening, sandboxLifetimes } from "../contracts/sandbox-door.ts";

export interface Lifetimes {
  readonly idleMs: number;
  readonly hardMs: number;
}

/** A container is there to be used again by its id until it expires, whether or not something is done in it meanwhile. */
export function lifetimesOf(
  { boundary, containerExpiresMs }: Pick<CompiledPolicy, "boundary" | "containerExpiresMs">,
  { idleMs, hardMs }: Pick<SandboxOpening, "idleMs" | "hardMs">,
): Lifetimes {
  const most = boundary === "container" ? { idleMs: containerExpiresMs, hardMs: containerExpiresMs } : sandboxLifetimes;
  return { idleMs: Math.min(idleMs ?? most.idleMs, most.idleMs), hardMs: Math.min(hardMs ?? most.hardMs, most.hardMs) };
}
