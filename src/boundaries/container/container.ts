// The container boundary: a fresh container through an OCI runtime, with nothing of the host but its programs, and without network or behind the gate.
import type { Boundary } from "../../contracts/boundary.ts";
import { openContainerSandbox } from "./open-container-sandbox.ts";
import { probeContainerBoundary } from "./probe.ts";
import { type Platform, platformOf } from "./gvisor.ts";
import type { Runtime, RuntimeName } from "./runtimes.ts";

export { type ContainerReapCounts, type ContainerReapRequest, reapContainerSandbox } from "./reap.ts";
export { type RuntimeName, runtimeNames } from "./runtimes.ts";

/** What a document has knowingly. */
export interface DocumentGiven {
  readonly isNetworkGiven: boolean;
  /** Places of the container's own. */
  readonly binds: readonly { readonly source: string; readonly isWritable: boolean }[];
}

export interface ContainerBoundaryOptions {
  /** There is no other one in its place. */
  readonly runtime: RuntimeName;
  /** Absolute path of the guard that `make -C native` built. */
  readonly guardPath: string;
  /** Absolute path of the launcher. */
  readonly launcherPath: string;
  /** Absolute path of the program that makes the captive network; used where a sandbox has an egress endpoint. */
  readonly captivePath: string;
  /** For tests of a kernel without pairs of interfaces: the captive network is one. */
  readonly networks?: "found" | "one";
  /** Throws when the runtime's document is more open than it may be. Asked before anything is made of it. */
  readonly refuseOpenDocument: (document: unknown, given: DocumentGiven) => void;
  /** For tests of a machine that lets nobody make control groups: `none` looks for no group. */
  readonly cgroups?: "found" | "none";
  /** For tests of the layers: the runtime's walls alone stand. Only with the guard's test build, else open fails. */
  readonly guardLayers?: "all" | "none";
}

/** What is asked of the machine once. */
export interface ContainerMachine extends ContainerBoundaryOptions {
  readonly platformOf: (runtime: Runtime) => Promise<Platform>;
}

/** Opens nothing yet; `probe()` says what this machine can hold. */
export function openContainerBoundary(options: ContainerBoundaryOptions): Boundary {
  // A program does not change its words while we live, and to ask it takes as long as to start it.
  let platform: Promise<Platform> | undefined;
  const machine = { ...options, platformOf: (runtime: Runtime) => (platform ??= platformOf(runtime)) };
  return {
    kind: "container",
    probe: () => probeContainerBoundary(machine),
    open: (spec, context) => openContainerSandbox(machine, spec, context),
  };
}
