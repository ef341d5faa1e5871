// Watches the limits of one open sandbox: what the kernel only counts, and what only we can add up. Says which was used up first.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { measureTrees } from "../kit/measure-tree.ts";
import { allowedOf, type LimitHit, type LimitName, type UsageEvidence } from "../contracts/limits.ts";
import { CgroupCounts, type CgroupMemory } from "./cgroup-counts.ts";
import { type Fill, fillOf, namelessBytes, RootGrowth, writtenBytes } from "./disk-sample.ts";
import type { HeldResources } from "../contracts/boundary.ts";
import type { LimitPlan } from "./limit-plan.ts";
import { MemoryEstimate } from "./memory-estimate.ts";
import { availableBytes, exactMemoryBytes, sampleKernel, sampleTree, type TreeSample } from "./tree-sample.ts";
import { monotonicMs } from "../kit/monotonic.ts";
import { restAfter, restFactor } from "./look-rest.ts";

/** Between two looks at the soonest; a look that takes long makes the next one wait longer. */
const intervalMs = 25;
/** What programs on a few processors take of memory within one interval: from so near to the limit on, looks follow each other faster. */
const nearBytes = 2 ** 28;
const nearIntervalMs = 5;
/** Within the turn of the event loop in which it was taken, a look is the newest there can be. */
const freshMs = 2;
/** What the host keeps for itself where no control group limits memory. */
const reserveShare = 0.05;
const reserveMaximum = 2 ** 29;
/** The kernel writes change times in coarse steps. */
const changeTimeSlackMs = 100;
/** So far beyond the limit a search decides; a fast writer would go on for as long as it takes. */
const searchedBytes = 64 * 2 ** 20;

export interface ForeignKernel {
  /** Whose root shows `privatePlaces`. */
  readonly rootPid: number;
  readonly pids: () => readonly number[];
  /** The file in which it keeps the memory of its processes: what it wrote there need not be mapped by anybody. */
  readonly memoryFile: string | undefined;
}

export interface WatchTarget {
  readonly guardPid: number;
  readonly plan: LimitPlan;
  /** Absolute, inside: file systems in memory that are the sandbox's own. */
  readonly privatePlaces: readonly string[];
  /** Where the host does not see its processes one by one, because another kernel than Linux keeps them: what that kernel is made of, on the host. */
  readonly kernel?: ForeignKernel | undefined;
  /** Places of the host that it may fill. */
  readonly writeRoots: readonly string[];
  /** Nothing runs: nothing to look at. */
  readonly isIdle: () => boolean;
}

interface SeenMemory {
  /** By a control group; undefined where none limits it. */
  readonly counted: CgroupMemory | undefined;
  readonly bytes: number;
}

interface Places {
  readonly proc: string;
  readonly privatePlaces: readonly string[];
  /** Of a kernel of its own: what the file takes in which it keeps the memory of its processes. */
  readonly kernelBytes: (() => number) | undefined;
  close(): void;
}

/** By descriptor, so that a number that is somebody else's by now never answers for the sandbox. */
function openPlaces({ guardPid, kernel, privatePlaces }: WatchTarget): Places {
  const descriptors: number[] = [];
  const open = (file: string, flags: number): number => {
    const descriptor = openSync(file, flags);
    descriptors.push(descriptor);
    return descriptor;
  };
  const hold = (inside: string): string =>
    `/proc/self/fd/${open(`/proc/${kernel?.rootPid ?? guardPid}/root${inside}`, constants.O_RDONLY | constants.O_DIRECTORY)}`;
  const close = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  try {
    const memory = kernel?.memoryFile === undefined ? undefined : open(kernel.memoryFile, constants.O_RDONLY);
    const kernelBytes = memory === undefined ? undefined : (): number => fstatSync(memory).blocks * 512;
    return { proc: kernel === undefined ? hold("/proc") : "/proc", privatePlaces: privatePlaces.map(hold), kernelBytes, close };
  } catch (error) {
    close();
    throw error;
  }
}

export class LimitWatch {
  readonly exhausted: Promise<LimitHit>;
  readonly #target: WatchTarget;
  readonly #places: Places;
  readonly #counts: CgroupCounts;
  readonly #growth: RootGrowth;
  readonly #memory: MemoryEstimate;
  readonly #sinceMs = Date.now() - changeTimeSlackMs;
  readonly #resolve: (hit: LimitHit) => void;
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;
  #isSearching = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #noSearchBeforeMs = 0;
  #own: ReadonlyMap<string, number> = new Map();
  /** Own time of all processes that were seen: what the kernel forgets when nobody waits for a child. */
  #seenCpuMs = 0;
  #usage: UsageEvidence = { cpuMs: 0, peakMemoryBytes: 0, peakProcesses: 0 };
  /** Nothing but our looks keeps memory below its limit, and it may be reached before the next one. */
  #isMemoryNear = false;

  constructor(target: WatchTarget) {
    const { promise, resolve } = Promise.withResolvers<LimitHit>();
    const { limits } = target.plan;
    this.exhausted = promise;
    this.#resolve = resolve;
    this.#target = target;
    this.#places = openPlaces(target);
    this.#counts = new CgroupCounts(target.plan.cgroups);
    this.#growth = new RootGrowth(target.writeRoots, limits.diskBytes);
    this.#memory = new MemoryEstimate(limits.memoryBytes);
  }

  /** Idempotent; looks again and again until nothing runs. */
  start(): void {
    if (this.#timer !== undefined || this.#isDone) return;
    this.#wait(intervalMs);
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDone || this.#target.isIdle()) return;
      const restMs = restAfter(() => void this.look());
      this.#wait(Math.max(this.#isMemoryNear ? nearIntervalMs : intervalMs, restMs));
    }, delayMs);
    this.#timer.unref();
  }

  /** The command's own process has just ended: until then it was one more. */
  lookAtEnd(): void {
    this.look(1);
  }

  /** What was used until now: a look that was just taken, as at the end of a command, says it. */
  usage(): UsageEvidence {
    return monotonicMs() - this.#lookedAtMs < freshMs ? this.#usage : this.look();
  }

  /** What it has at this moment; undefined once it has ended. */
  held(): HeldResources | undefined {
    const sample = this.#isDone ? undefined : this.#sample();
    if (sample === undefined) return undefined;
    const privateBytes = this.#places.privatePlaces
      .flatMap((place) => fillOf(place) ?? [])
      .reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    const memoryBytes = this.#counts.memoryNowBytes() ?? this.#exactBytes(sample) + privateBytes;
    return { memoryBytes, privateBytes };
  }

  #sample(): TreeSample | undefined {
    const { kernel } = this.#target;
    return kernel === undefined ? sampleTree(this.#places.proc) : sampleKernel(kernel.pids());
  }

  /** One look now; @returns what was used until now */
  look(endedTasks = 0): UsageEvidence {
    const sample = this.#isDone ? undefined : this.#sample();
    const counted = this.#isDone ? undefined : this.#counts.memory();
    if (sample === undefined) return this.#lookAfterEnd(counted);
    const fills = this.#places.privatePlaces.flatMap((place) => fillOf(place) ?? []);
    const cpuMs = this.#cpuMs(sample);
    const memoryBytes = counted?.peakBytes ?? this.#memoryBytes(sample, fills);
    const commandTasks = sample.commandTasks + endedTasks;
    this.#usage = {
      cpuMs: Math.max(this.#usage.cpuMs, Math.round(cpuMs)),
      peakMemoryBytes: Math.max(this.#usage.peakMemoryBytes, memoryBytes),
      peakProcesses: Math.max(this.#usage.peakProcesses, commandTasks),
    };
    this.#judge({ ...sample, commandTasks, tasks: sample.tasks + endedTasks }, fills, { counted, bytes: memoryBytes });
    this.#lookedAtMs = monotonicMs();
    return this.#usage;
  }

  /** The kernel may have ended the guard itself for want of memory: then its count is all that is left. */
  #lookAfterEnd(counted: CgroupMemory | undefined): UsageEvidence {
    if (counted !== undefined && counted.kills > 0) this.#hit("memory", counted.peakBytes);
    this.#lookedAtMs = monotonicMs();
    return this.#usage;
  }

  #cpuMs(sample: TreeSample): number {
    const counted = this.#counts.cpuMs();
    if (counted !== undefined) return counted;
    for (const [process, ownMs] of sample.ownCpuMs) this.#seenCpuMs += ownMs - Math.min(ownMs, this.#own.get(process) ?? 0);
    this.#own = sample.ownCpuMs;
    return Math.max(sample.cpuMs, this.#seenCpuMs);
  }

  #exactBytes({ pids }: TreeSample): number {
    const { proc, kernelBytes } = this.#places;
    return exactMemoryBytes(proc, pids, kernelBytes !== undefined) + (kernelBytes?.() ?? 0);
  }

  /** Where no control group counts it. */
  #memoryBytes(sample: TreeSample, fills: readonly Fill[]): number {
    const files = fills.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    const bytes = this.#memory.look({
      residentBytes: sample.residentBytes + (this.#places.kernelBytes?.() ?? 0) + files,
      exactBytes: () => this.#exactBytes(sample) + files,
    });
    this.#isMemoryNear = bytes > this.#target.plan.limits.memoryBytes - nearBytes;
    return bytes;
  }

  #judge(sample: TreeSample, fills: readonly Fill[], memory: SeenMemory): void {
    const { plan } = this.#target;
    const { limits } = plan;
    const full = fills.find(({ isFull }) => isFull);
    if (full !== undefined) this.#hit("disk", Math.max(full.usedBytes, full.sizeBytes), full.sizeBytes);
    if (this.#isMemoryUsedUp(memory)) this.#hit("memory", memory.bytes);
    const isCrowded = sample.commandTasks > limits.processes || sample.tasks >= plan.tasksMaximum || this.#counts.refusedTasks() > 0;
    // What was refused is one more than there were.
    if (isCrowded) this.#hit("processes", Math.max(limits.processes + 1, sample.commandTasks));
    if (sample.openFiles >= limits.openFiles) this.#hit("openFiles", sample.openFiles);
    if (this.#usage.cpuMs > limits.cpuMs) this.#hit("cpuTime", this.#usage.cpuMs);
    this.#judgeGrowth(
      sample,
      fills.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    );
  }

  #isMemoryUsedUp({ counted, bytes }: SeenMemory): boolean {
    if (counted !== undefined) return counted.kills > 0;
    if (bytes > this.#target.plan.limits.memoryBytes) return true;
    // What no process maps is in no sum: the host's own need is the last word.
    const host = availableBytes();
    return host !== undefined && host.available < Math.min(host.total * reserveShare, reserveMaximum);
  }

  #judgeGrowth(sample: TreeSample, privateBytes: number): void {
    const { grownBytes, isHostNearlyFull } = this.#growth.look();
    const allowed = this.#growth.allowedBytes;
    if (isHostNearlyFull) this.#hit("disk", grownBytes, allowed);
    if (privateBytes + grownBytes <= allowed) return;
    const written = writtenBytes(this.#places.proc, sample.pids);
    // What was written may have been written over, and what has grown may be others': only far beyond the limit is there no time to look.
    const most = privateBytes + Math.min(written, grownBytes);
    if (most > allowed + searchedBytes) this.#hit("disk", most, allowed);
    else void this.#searchRoots(privateBytes + namelessBytes(this.#places.proc, sample.pids, this.#target.writeRoots), allowed);
  }

  /** Somebody filled the disk: looks whether it was the sandbox. */
  async #searchRoots(knownBytes: number, allowed: number): Promise<void> {
    if (this.#isSearching || monotonicMs() < this.#noSearchBeforeMs) return;
    this.#isSearching = true;
    const started = monotonicMs();
    const enough = Math.max(0, allowed - knownBytes);
    const { bytes, isWhole } = await measureTrees(this.#target.writeRoots, { enough, sinceMs: this.#sinceMs });
    // What somebody closed or buried while it ran may hold all of it.
    const changed = isWhole ? bytes : Math.max(bytes, enough + 1);
    this.#noSearchBeforeMs = monotonicMs() + (monotonicMs() - started) * restFactor;
    this.#isSearching = false;
    if (knownBytes + changed > allowed) this.#hit("disk", knownBytes + changed, allowed);
  }

  #hit(limit: LimitName, observed: number, allowed = allowedOf(this.#target.plan.limits)[limit]): void {
    this.#resolve({ limit, allowed: Math.round(allowed), observed: Math.round(observed) });
  }

  /** Ends the watching and lets the sandbox's places go. */
  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#places.close();
    this.#counts.close();
  }
}
