// Ends processes that a broker which died left behind. Whose they are is for the caller to say.
import { isAllocatedUid } from "./allocated-uid.ts";
import { type HostProcess, listProcesses, lookAtProcess } from "./host-processes.ts";

/** The argument of the guard that names its sandbox; bubblewrap and the launcher carry it too. */
export function markerOf(sandboxId: string): string {
  return `--sandbox=${sandboxId}`;
}

/** One that we run as, or that we run sandboxes as. */
export function isOurUid(uid: number | undefined): boolean {
  const own = process.getuid?.() ?? -1;
  if (uid === own) return true;
  return own === 0 && uid !== undefined && isAllocatedUid(uid);
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

/** Kills all that are meant and waits for their end; @returns how many they were */
export async function endProcesses(isMeant: (candidate: HostProcess) => boolean): Promise<number> {
  // What has ended already is only waiting to be taken note of.
  const living = listProcesses().filter(({ pid, state }) => pid !== process.pid && state !== "Z");
  const found = living.filter(isMeant);
  for (const { pid, startTicks } of found) {
    if (lookAtProcess(pid)?.startTicks !== startTicks) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
  await untilGone(found);
  return found.length;
}
