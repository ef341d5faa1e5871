// Ends what a broker that died left of a container. It kills only what carries the sandbox's marker or name and was started as one of our
// own programs, and whatever runs as a uid that was allocated to this sandbox alone.
import path from "node:path";
import {
  allocatedSetUpUid,
  allocatedUid,
  commandLine,
  endProcesses,
  type HostProcess,
  innermostFirst,
  isCgroupOf,
  isOurUid,
  markerOf,
  realUid,
  removeCgroup,
  thaw,
} from "../../linux/linux.ts";
import { sentryUid } from "./gvisor.ts";
import { guardInside } from "./inside.ts";
import { containerName, runtimeNames } from "./runtimes.ts";

export interface ContainerReapRequest {
  readonly sandboxId: string;
  /** Of the journal: only one of this sandbox's own name, in a mounted tree of control groups, is removed. */
  readonly cgroups: readonly string[];
}

export interface ContainerReapCounts {
  /** Processes that were killed; all others of the container end with its first. */
  readonly processes: number;
  readonly cgroups: number;
}

/** A runtime, or what makes its network and starts it: the container's name is the last word of both. */
const isStarter = (program: string): boolean => ["captive", ...runtimeNames].includes(path.basename(program));

/** Marker and name are arguments of their own, so that text which merely contains them never matches. */
function isOfSandbox({ pid }: HostProcess, sandboxId: string): boolean {
  const uid = realUid(pid);
  // What the runtime starts on its way names nobody; but nobody else has these.
  if (process.getuid?.() === 0 && (uid === allocatedUid(sandboxId) || uid === allocatedSetUpUid(sandboxId))) return true;
  const argv = commandLine(pid);
  const [program] = argv;
  // gVisor's kernel, and what opens files for it, by names that the runtime gives them; root's kernel is nobody.
  if (program === "runsc-sandbox" || program === "runsc-gofer")
    return argv.includes(containerName(sandboxId)) && (isOurUid(uid) || (process.getuid?.() === 0 && uid === sentryUid));
  if (program === undefined || !program.startsWith("/") || !isOurUid(uid)) return false;
  if (isStarter(program)) return argv.at(-1) === containerName(sandboxId);
  return argv.includes(markerOf(sandboxId)) && (program === guardInside || path.basename(program) === "launcher");
}

/** Idempotent. @returns what was found; a second call finds nothing */
export async function reapContainerSandbox({ sandboxId, cgroups }: ContainerReapRequest): Promise<ContainerReapCounts> {
  const groups = innermostFirst(cgroups).filter((group) => isCgroupOf(sandboxId, group));
  // What was stopped could not end.
  for (const group of groups) thaw(group);
  const processes = await endProcesses((candidate) => isOfSandbox(candidate, sandboxId));
  let removed = 0;
  for (const group of groups) if (await removeCgroup(group)) removed += 1;
  return { processes, cgroups: removed };
}
