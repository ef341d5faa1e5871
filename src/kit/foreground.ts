// Whether this process may use its terminal: job control stops a background job that reads it or changes its modes.
import { readFileSync } from "node:fs";

/** @param stat the text of /proc/PID/stat. True when the controlling terminal has another foreground group (fields 5 and 8, proc_pid_stat(5)) */
export function isBackgroundStat(stat: string): boolean {
  // The command name (field 2) may hold spaces and parentheses: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [group, foreground] = [Number(fields[2]), Number(fields[5])];
  return foreground > 0 && foreground !== group;
}

/** False where it cannot be found out. */
export function isInBackground(): boolean {
  try {
    return isBackgroundStat(readFileSync("/proc/self/stat", "utf8"));
  } catch {
    return false; // no /proc, no job control to ask about
  }
}
