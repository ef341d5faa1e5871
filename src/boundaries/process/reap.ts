// Ends what a broker that died left of a process sandbox. It kills only what carries the sandbox's marker, runs as one of our uids and
// was started as one of our own programs; what merely looks like it is left alone.
import path from "node:path";
import { removeTree } from "../../kit/remove-tree.ts";
import { isCgroupOf, removeCgroup } from "./cgroups.ts";
import { commandLine, type HostProcess, listProcesses, lookAtProcess, realUid } from "./host-processes.ts";
import { allocatedUidBase, allocatedUidCount } from "./identity.ts";
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

/** The argument of the guard that names its sandbox; bubblewrap and the launcher carry it too. */
export function markerOf(sandboxId: string): string {
  return `--sandbox=${sandboxId}`;
}

const ownPrograms = ["bwrap", "launcher", "captive", "guard", "masker"];

function isOurUid(uid: number | undefined): boolean {
  const own = process.getuid?.() ?? -1;
  if (uid === own) return true;
  return own === 0 && uid !== undefined && uid >= allocatedUidBase && uid < allocatedUidBase + allocatedUidCount;
}

/** The marker is an argument of its own, so that text which merely contains it never matches. */
function isOfSandbox({ pid }: HostProcess, sandboxId: string): boolean {
  const argv = commandLine(pid);
  const [program] = argv;
  if (program === undefined || !program.startsWith("/") || !argv.includes(markerOf(sandboxId))) return false;
  return (program === guardInside || ownPrograms.includes(path.basename(program))) && isOurUid(realUid(pid));
}

async function untilGone(processes: readonly HostProcess[]): Promise<void> {
  const deadline = Date.now() + 5000;
  const isThere = ({ pid, startTicks }: HostProcess): boolean => {
    const now = lookAtProcess(pid);
    return now !== undefined && now.state !== "Z" && now.startTicks === startTicks;
  };
  // The kernel offers no event for a process that is not our child.
  while (processes.some(isThere) && Date.now() < deadline) await new Promise<void>((resolve) => setTimeout(resolve, 5));
}

/** Idempotent. @returns what was found; a second call finds nothing */
export async function reapProcessSandbox(request: ReapRequest): Promise<ReapCounts> {
  const found = listProcesses().filter((candidate) => candidate.pid !== process.pid && isOfSandbox(candidate, request.sandboxId));
  for (const { pid, startTicks } of found) {
    if (lookAtProcess(pid)?.startTicks !== startTicks) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
  await untilGone(found);
  let cgroups = 0;
  for (const group of request.cgroups ?? []) if (isCgroupOf(request.sandboxId, group) && (await removeCgroup(group))) cgroups += 1;
  const directory = request.privateDirectory;
  const wasThere = directory !== undefined && (await removeTree(directory, { parent: path.dirname(directory) }));
  return { processes: found.length, directories: wasThere ? 1 : 0, cgroups };
}
