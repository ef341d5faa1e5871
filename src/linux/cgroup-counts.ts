// What the control groups of one sandbox have counted. It is asked at the end of each command and often meanwhile, so the files stay open: asking is one
// read(2) for each.
import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { Controller } from "./cgroup-layout.ts";
import { type Cgroup, cgroupOf } from "./cgroups.ts";

/** More than any of the files holds. */
const longestBytes = 4096;

export interface CgroupMemory {
  readonly peakBytes: number;
  /** How often the kernel ended a member because the limit was used up. */
  readonly kills: number;
}

/** One number of one file, which the kernel writes anew for each read from its beginning. */
class CountFile {
  readonly #file: string;
  readonly #pattern: RegExp;
  #descriptor: number | undefined;

  constructor(file: string, pattern: RegExp) {
    this.#file = file;
    this.#pattern = pattern;
  }

  /** 0 as long as there is no such file or number: a kernel that does not count it, a group that is gone. */
  read(buffer: Buffer): number {
    try {
      this.#descriptor ??= openSync(this.#file, "r");
      const length = readSync(this.#descriptor, buffer, 0, buffer.length, 0);
      return Number(this.#pattern.exec(buffer.toString("latin1", 0, length))?.[1] ?? 0);
    } catch {
      return 0; // as above
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

type FileOf = Readonly<Record<Cgroup["version"], readonly [name: string, pattern: RegExp]>>;

const cpu: FileOf = { 1: ["cpuacct.usage", /^(\d+)/u], 2: ["cpu.stat", /^usage_usec (\d+)$/mu] };
const now: FileOf = { 1: ["memory.usage_in_bytes", /^(\d+)/u], 2: ["memory.current", /^(\d+)/u] };
const peak: FileOf = { 1: ["memory.max_usage_in_bytes", /^(\d+)/u], 2: ["memory.peak", /^(\d+)/u] };
const kills: FileOf = { 1: ["memory.oom_control", /^oom_kill (\d+)$/mu], 2: ["memory.events", /^oom_kill (\d+)$/mu] };
const refusals: FileOf = { 1: ["pids.events", /^max (\d+)$/mu], 2: ["pids.events", /^max (\d+)$/mu] };
const cpuUnitsPerMs = { 1: 1e6, 2: 1000 } as const;

/** Undefined where no group has the controller. */
function countFile(groups: readonly Cgroup[], controller: Controller, file: FileOf): CountFile | undefined {
  const group = cgroupOf(groups, controller);
  if (group === undefined) return undefined;
  const [name, pattern] = file[group.version];
  return new CountFile(path.join(group.directory, name), pattern);
}

export class CgroupCounts {
  readonly #buffer = Buffer.allocUnsafe(longestBytes);
  readonly #cpu: CountFile | undefined;
  readonly #cpuUnitsPerMs: number;
  readonly #now: CountFile | undefined;
  readonly #peak: CountFile | undefined;
  readonly #kills: CountFile | undefined;
  readonly #refusals: CountFile | undefined;

  constructor(groups: readonly Cgroup[]) {
    this.#cpu = countFile(groups, "cpuacct", cpu);
    this.#cpuUnitsPerMs = cpuUnitsPerMs[cgroupOf(groups, "cpuacct")?.version ?? 1];
    this.#now = countFile(groups, "memory", now);
    this.#peak = countFile(groups, "memory", peak);
    this.#kills = countFile(groups, "memory", kills);
    this.#refusals = countFile(groups, "pids", refusals);
  }

  /** Processor time of all members, ended ones too; undefined where no group counts it. */
  cpuMs(): number | undefined {
    return this.#cpu === undefined ? undefined : this.#cpu.read(this.#buffer) / this.#cpuUnitsPerMs;
  }

  /** Undefined where no group limits it. */
  memory(): CgroupMemory | undefined {
    if (this.#peak === undefined || this.#kills === undefined) return undefined;
    return { peakBytes: this.#peak.read(this.#buffer), kills: this.#kills.read(this.#buffer) };
  }

  /** Of all members at this moment; undefined where no group counts it. */
  memoryNowBytes(): number | undefined {
    return this.#now?.read(this.#buffer);
  }

  /** How often a process or thread was refused because there were too many; 0 where no group counts. */
  refusedTasks(): number {
    return this.#refusals?.read(this.#buffer) ?? 0;
  }

  /** Idempotent. Asked afterwards, it would open the files again. */
  close(): void {
    for (const file of [this.#cpu, this.#now, this.#peak, this.#kills, this.#refusals]) file?.close();
  }
}
