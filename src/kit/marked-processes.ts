// Processes that carry one variable in their environment: how a tree is found again after its members have left session, group and parent.
// A program that drops its environment, or that runs as somebody else, is not found.
import { readdirSync, readFileSync } from "node:fs";

function hasEntry(pid: string, entry: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(entry);
  } catch {
    return false; // it ended, or is not ours to look at
  }
}

function isZombie(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true; // it ended
  }
}

function findMarked(entry: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name) && name !== String(process.pid));
  return pids.filter((pid) => hasEntry(pid, entry) && !isZombie(pid));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ESRCH: it ended meanwhile; EPERM: not ours
  }
}

/**
 * Kills each of them, and again those that were forked meanwhile, at most a hundred times.
 * @param entry `NAME=value`, unpredictable
 * @returns how many were killed
 */
export function killMarked(entry: string): number {
  const killed = new Set<string>();
  for (let round = 0; round < 100; round += 1) {
    const found = findMarked(entry);
    if (found.length === 0) break;
    for (const pid of found) {
      kill(Number(pid));
      killed.add(pid);
    }
  }
  return killed.size;
}
