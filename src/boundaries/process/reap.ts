// Ends what a broker that died left of a process sandbox. It kills only what carries the sandbox's marker, runs as one of our uids and
// was started as one of our own programs; what merely looks like it is left alone.
import path from "node:path";
import { removeTree } from "../../kit/remove-tree.ts";
import {
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
import { guardInside } from "./inside.ts";

export interface ReapRequest {
  readonly sandboxId: string;
  /** Removed too when given; whoever keeps a journal of directories removes it itself. */
  readonly privateDirectory?: string;
  /** Of the journal: only one of this sandbox's own name, in a mounted tree of control groups, is removed. */
  readonly cgroups?: readonly string[];
}

export interface ReapCounts {
  /** Processes that were killed; all others of the sandbox end with its first. */
  readonly processes: number;
  readonly directories: number;
  readonly cgroups: number;
}

const ownPrograms = ["bwrap", "launcher", "captive", "guard", "masker"];

/** The marker is an argument of its own, so that text which merely contains it never matches. */
function isOfSandbox({ pid }: HostProcess, sandboxId: string): boolean {
  const argv = commandLine(pid);
  const [program] = argv;
  if (program === undefined || !program.startsWith("/") || !argv.includes(markerOf(sandboxId))) return false;
  return (program === guardInside || ownPrograms.includes(path.basename(program))) && isOurUid(realUid(pid));
}

/** Idempotent. @returns what was found; a second call finds nothing */
export async function reapProcessSandbox(request: ReapRequest): Promise<ReapCounts> {
  const groups = innermostFirst(request.cgroups ?? []).filter((group) => isCgroupOf(request.sandboxId, group));
  // What was stopped could not end.
  for (const group of groups) thaw(group);
  const processes = await endProcesses((candidate) => isOfSandbox(candidate, request.sandboxId));
  let cgroups = 0;
  for (const group of groups) if (await removeCgroup(group)) cgroups += 1;
  const directory = request.privateDirectory;
  const wasThere = directory !== undefined && (await removeTree(directory, { parent: path.dirname(directory) }));
  return { processes, directories: wasThere ? 1 : 0, cgroups };
}
