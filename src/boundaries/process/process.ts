// The process boundary: a Linux process tree behind bubblewrap, Landlock and seccomp.
import type { Boundary, HostUser, PathPolicy } from "../../contracts/boundary.ts";
import { hostFileTree } from "./file-tree.ts";
import type { TestLayers } from "./layers.ts";
import { openProcessSandbox } from "./open-process-sandbox.ts";
import { probeProcessBoundary } from "./probe.ts";
import { Residence } from "./residence.ts";
import { type ProtectedPath, withheldOn } from "./rules.ts";

export { reapProcessSandbox, type ReapCounts, type ReapRequest } from "./reap.ts";
export { requireBubblewrap } from "./tools.ts";
export { sandboxPath } from "./environment.ts";
export { planBeginning } from "./beginning.ts";
export { planSandbox, type PlanFacts, type SandboxPlan } from "./plan.ts";
export type { ProtectedPath } from "./rules.ts";
export type { TestLayers } from "./layers.ts";

export interface ProcessBoundaryOptions {
  /** Absolute; otherwise /usr/bin/bwrap or /usr/local/bin/bwrap. The caller's PATH is never searched. */
  readonly bubblewrap?: string;
  /** Absolute path of the guard that `make -C native` built. */
  readonly guardPath: string;
  /** Absolute path of the launcher. */
  readonly launcherPath: string;
  /** Absolute path of the program that makes the captive network; used where a sandbox has an egress endpoint. */
  readonly captivePath: string;
  /** For tests of a kernel without pairs of interfaces: the captive network is one. */
  readonly networks?: "found" | "one";
  /** Absolute path of the masker; used where a rule denies what may appear later. */
  readonly maskerPath: string;
  /** Directories of Glovebox itself: state and runtime `hidden`, the installation `read-only`. */
  readonly protectedPaths: readonly ProtectedPath[];
  /** A file of the state by which sandboxes that share a write root exclude each other; it is made. Absent: no two may share one. */
  readonly sharedLockPath?: string;
  /** For tests of a machine that lets nobody make control groups: `none` looks for no group. */
  readonly cgroups?: "found" | "none";
  /** For tests of the layers: leaves some out. Only with the guard's test build, else open fails. */
  readonly testLayers?: TestLayers;
}

export { isShownByDefault } from "./shown-by-default.ts";
export { homeInside } from "./inside.ts";

/** The entries of allowRead and allowWrite that open nothing here: see `PathPolicy.openedWithin`. */
export function withheldEntries(paths: PathPolicy, user: HostUser): readonly string[] {
  return withheldOn(hostFileTree(user.uid !== 0), paths, user.home);
}

/** Opens nothing yet; `probe()` says what this machine can hold. */
export function openProcessBoundary(options: ProcessBoundaryOptions): Boundary {
  const residence = new Residence(options.launcherPath);
  return {
    kind: "process",
    probe: () => probeProcessBoundary(options),
    open: (spec, context) => openProcessSandbox({ options, residence }, spec, context),
  };
}
