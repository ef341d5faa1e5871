// Tells one process from a later one that got the same pid.
import { readFile } from "node:fs/promises";

/** Field 22 (start time in clock ticks since boot) of /proc/PID/stat, or undefined when there is no such process. */
export async function processStartTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The command name (field 2) may hold spaces and parentheses: count from the last one.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
