// One look at every process of a sandbox through the sandbox's own /proc: what they use together. Evidence of the host.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { lazily } from "../kit/lazily.ts";

export interface TreeSample {
  /** Processes and threads, our own included. */
  readonly tasks: number;
  /** Without the guard and its children, which are keepers: what a command starts is never the guard's child, its keeper takes in what loses its parent. */
  readonly commandTasks: number;
  /** Of commands, keepers and their reaped children. */
  readonly cpuMs: number;
  /** Own time of each process that lives now, by pid and start. */
  readonly ownCpuMs: ReadonlyMap<string, number>;
  /** What is resident, shared pages counted for each who maps them: never too little of what is mapped. */
  readonly residentBytes: number;
  /** Of the command's process with the most. */
  readonly openFiles: number;
  readonly pids: readonly string[];
}

const tickMs = 10; // USER_HZ is 100 on every architecture that the guard knows

/** AT_PAGESZ of the auxiliary vector, getauxval(3). */
const pageBytes = lazily((): number => {
  const vector = readFileSync("/proc/self/auxv");
  for (let at = 0; at + 16 <= vector.length; at += 16) if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8));
  return 4096;
});

function text(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8"); // one call of Node into the system; a name that is not UTF-8 only looks otherwise
  } catch {
    return undefined; // it ended between two looks
  }
}

function openFilesOf(directory: string): number {
  try {
    return statSync(`${directory}/fd`).size; // the number of descriptors, since Linux 6.2
  } catch {
    return 0; // as above
  }
}

/** @param proc a path of the sandbox's /proc; undefined when the sandbox is gone */
export function sampleTree(proc: string): TreeSample | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(proc);
  } catch {
    return undefined; // the sandbox is gone
  }
  const pids = names.filter((name) => name >= "1" && name <= "9999999999" && /^\d+$/u.test(name));
  const ownCpuMs = new Map<string, number>();
  let [tasks, commandTasks, ticks, pages, openFiles] = [0, 0, 0, 0, 0];
  for (const pid of pids) {
    const line = text(`${proc}/${pid}/stat`);
    if (line === undefined) continue;
    // proc_pid_stat(5); the name in parentheses may hold anything.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const field = (number: number): number => Number(fields[number - 3] ?? 0);
    tasks += field(20);
    if (pid === "1") continue;
    ticks += field(14) + field(15) + field(16) + field(17);
    pages += field(24);
    ownCpuMs.set(`${pid}:${fields[19]}`, (field(14) + field(15)) * tickMs);
    if (field(4) === 1) continue;
    commandTasks += field(20);
    openFiles = Math.max(openFiles, openFilesOf(`${proc}/${pid}`)); // a keeper's are ours
  }
  return { tasks, commandTasks, cpuMs: ticks * tickMs, ownCpuMs, residentBytes: pages * pageBytes(), openFiles, pids };
}

/**
 * What a kernel of its own costs the host, with all that runs in it. How many tasks it keeps, and what they have open, only it knows.
 * @param pids of the host; none: it is gone
 */
export function sampleKernel(pids: readonly number[]): TreeSample | undefined {
  const rows = pids.flatMap((pid) => {
    const line = text(`/proc/${pid}/stat`);
    // proc_pid_stat(5), as above
    return line === undefined ? [] : [{ pid, fields: line.slice(line.lastIndexOf(")") + 2).split(" ") }];
  });
  if (rows.length === 0) return undefined;
  const sum = (numbers: readonly number[]): number =>
    rows.reduce((total, { fields }) => total + numbers.reduce((part, number) => part + Number(fields[number - 3] ?? 0), 0), 0);
  const ownCpuMs = new Map(
    rows.map(({ pid, fields }) => [`${pid}:${fields[19]}`, (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs]),
  );
  const used = { cpuMs: sum([14, 15, 16, 17]) * tickMs, ownCpuMs, residentBytes: sum([24]) * pageBytes() };
  return { tasks: 0, commandTasks: 0, openFiles: 0, ...used, pids: rows.map(({ pid }) => String(pid)) };
}

/**
 * Each page counted once, files of the disk not at all: exact, and slow in the size of what is mapped.
 * @param isFileCounted the file in memory that they share is counted elsewhere
 */
export function exactMemoryBytes(proc: string, pids: readonly string[], isFileCounted = false): number {
  let kibibytes = 0;
  for (const pid of pids) {
    const rollup = text(`${proc}/${pid}/smaps_rollup`) ?? "";
    for (const [, name, value] of rollup.matchAll(/^(Pss_Anon|Pss_Shmem|SwapPss): *(\d+) kB$/gmu))
      if (!isFileCounted || name !== "Pss_Shmem") kibibytes += Number(value);
  }
  return kibibytes * 1024;
}

/** Bytes that the whole machine could still give; undefined when the kernel does not say. */
export function availableBytes(): { readonly available: number; readonly total: number } | undefined {
  const info = text("/proc/meminfo") ?? "";
  const value = (name: string): number => Number(new RegExp(`^${name}: *(\\d+) kB$`, "mu").exec(info)?.[1] ?? Number.NaN) * 1024;
  const [available, total] = [value("MemAvailable"), value("MemTotal")];
  return Number.isNaN(available) || Number.isNaN(total) ? undefined : { available, total };
}
