// Tells one process from a later one that got the same pid.
import { readFile } from "node:fs/promises";

/**
 * Field 22 (start time in clock ticks since boot) of /proc/PID/stat. Undefined when there is no such process, and for one that has ended and for
 * which nobody has waited: a parent that never does would keep it forever.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The command name (field 2) may hold spaces and parentheses: count from the last one.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" || fields?.[0] === "X" ? undefined : fields?.[19];
}
