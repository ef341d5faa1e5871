// What the host sees of processes: read from /proc, so that it is evidence and not what somebody inside claims.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface HostProcess {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since boot: tells a process from a later one with the same number. */
  readonly startTicks: string;
  readonly state: string;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // the process ended between two looks, or is out of reach: either way there is nothing to say
  }
}

function names(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // as above
  }
}

/** Undefined when the process does not exist. */
export function lookAtProcess(pid: number): HostProcess | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything, also parentheses: the fields begin after the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTicks = fields[19];
  if (state === undefined || parent === undefined || startTicks === undefined) return undefined;
  return { pid, parent: Number(parent), startTicks, state };
}

export function listProcesses(): readonly HostProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  return pids.flatMap((pid) => lookAtProcess(Number(pid)) ?? []);
}

function childrenOf(pid: number): readonly number[] {
  const threads = names(`/proc/${pid}/task`);
  const lists = threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/**
 * A process and all that descend from it; zombies excluded. Every process of a pid namespace descends from its first. Each is asked for its
 * children: a few files, whatever else runs on the machine, but of children that come and go meanwhile one may be missed.
 */
export function treeOf(root: number): readonly HostProcess[] {
  const pids = [root];
  for (const pid of pids) pids.push(...childrenOf(pid));
  return pids.flatMap((pid) => lookAtProcess(pid) ?? []).filter(({ state }) => state !== "Z");
}

/** Of a tree whose first process is a guard: its children are keepers, and whatever loses its parent goes to the keeper of its command. */
export function ofCommands([guard, ...others]: readonly HostProcess[]): readonly HostProcess[] {
  return others.filter(({ parent }) => parent !== guard?.pid);
}

/** How often a tree that changes between two looks is looked at again. */
const looksMax = 100;

/** What is asked of the kernel about one process. */
export interface ProcessSource {
  readonly isFirstOfNamespace: (pid: number) => boolean;
  readonly childrenOf: (pid: number) => readonly number[];
}

const kernelSource: ProcessSource = {
  isFirstOfNamespace: (pid) => /^NSpid:\t.*\t1$/mu.test(read(`/proc/${pid}/status`) ?? ""),
  childrenOf,
};

/**
 * The first process of a pid namespace among those that descend from `root`; undefined when there is none. A process whose parent ends moves up
 * to an ancestor that may have been looked at already (crun's own start does so): only a tree that two looks find alike is without one.
 */
export function firstOfNamespace(root: number, source: ProcessSource = kernelSource): number | undefined {
  let before = "";
  for (let look = 0; look < looksMax; look += 1) {
    const pids = [root];
    for (const pid of pids) {
      if (source.isFirstOfNamespace(pid)) return pid;
      pids.push(...source.childrenOf(pid));
    }
    const now = pids.join(" ");
    if (now === before) return undefined;
    before = now;
  }
  return undefined;
}

/** Its network namespace, as the kernel names it; undefined when the process ended, or is out of reach. */
export function networkOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** argv; empty for kernel threads and processes that ended. */
export function commandLine(pid: number): readonly string[] {
  return (read(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, -1);
}

/** Lines `Name:\tvalue` of /proc/PID/status. Unlike the owner of the directory, they are true for non-dumpable processes too. */
export function processStatus(pid: number | "self"): ReadonlyMap<string, string> {
  const lines = (read(`/proc/${pid}/status`) ?? "").split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
}

/** Real uid, or undefined when the process ended. */
export function realUid(pid: number): number | undefined {
  const uid = processStatus(pid).get("Uid")?.split(/\s+/u)[0];
  return uid === undefined ? undefined : Number(uid);
}
