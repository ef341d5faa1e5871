// Stops what the commands of one sandbox started, and lets it go on: a control group of its own for that, made when somebody first asks. The guard and its
// keepers are never in it, so that commands can be ended meanwhile. INVARIANT I-09
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { KernelObject } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { type FreezerPlace, removeCgroup } from "./cgroups.ts";
import { type HostProcess, lookAtProcess, processStatus } from "./host-processes.ts";

/** How long all of its threads may take to stop: one that waits for a disk stops only afterwards. */
const freezeMs = 10_000;
const lookMs = 5;
/** Between two looks for processes that were killed while they are stopped. */
const releaseMs = 50;

const words = {
  1: { file: "freezer.state", frozen: "FROZEN", thawed: "THAWED", seenIn: "freezer.state", seen: /^FROZEN$/mu },
  2: { file: "cgroup.freeze", frozen: "1", thawed: "0", seenIn: "cgroup.events", seen: /^frozen 1$/mu },
} as const;

export interface FreezerTarget {
  readonly sandboxId: string;
  /** Undefined where there is none. */
  readonly place: () => FreezerPlace | undefined;
  /** What its commands started, now. */
  readonly processes: () => readonly HostProcess[];
  readonly journal: (object: KernelObject) => Promise<void>;
}

const keyOf = ({ pid, startTicks }: HostProcess): string => `${pid} ${startTicks}`;

/** None where somebody else removed the group. */
function membersOf(directory: string): readonly number[] {
  const file = path.join(directory, "cgroup.procs");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : [];
}

const isKilled = (pid: number): boolean =>
  ["SigPnd", "ShdPnd"].some((name) => (BigInt(`0x${processStatus(pid).get(name) ?? "0"}`) & 0x100n) !== 0n);

const pauseOver = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, lookMs));

export class Freezer {
  readonly #target: FreezerTarget;
  readonly #starting = new Set<Promise<unknown>>();
  #directory: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: FreezerTarget) {
    this.#target = target;
  }

  /** What is on its way into the sandbox is waited for before anything is stopped. */
  awaits<Value>(started: Promise<Value>): Promise<Value> {
    const settled = started.then(
      () => {},
      () => {}, // its caller's to tell
    );
    this.#starting.add(settled);
    void settled.then(() => this.#starting.delete(settled));
    return started;
  }

  /** Resolves when nothing of them runs any more. @throws PAUSE_UNAVAILABLE; then everything runs */
  async pause(): Promise<void> {
    const { sandboxId, journal } = this.#target;
    const place = this.#target.place();
    if (place === undefined) throw new GloveboxError("PAUSE_UNAVAILABLE", "sandbox.no-freezer", { values: { sandbox: sandboxId } });
    const { directory, version } = place;
    try {
      if (this.#directory === undefined) {
        await journal({ kind: "cgroup", name: directory });
        mkdirSync(directory);
        this.#directory = directory;
      }
      const { file, frozen } = words[version];
      writeFileSync(path.join(directory, file), frozen);
      await Promise.all(this.#starting);
      await this.#stopAll(directory, version);
    } catch (error) {
      this.resume();
      if (error instanceof GloveboxError) throw error;
      const values = { sandbox: sandboxId, detail: `${directory}: ${systemErrorCode(error) ?? String(error)}` };
      throw new GloveboxError("PAUSE_UNAVAILABLE", "sandbox.freezer-failed", { values, cause: error });
    }
    if (version === 1) this.#timer = setInterval(() => this.#releaseKilled(directory), releaseMs).unref();
  }

  /** A member stops as it comes, and starts nothing more: so there is an end to those that are still outside. */
  async #stopAll(directory: string, version: 1 | 2): Promise<void> {
    const moved = new Set<string>();
    const { seenIn, seen } = words[version];
    const deadline = Date.now() + freezeMs;
    for (;;) {
      const members = new Set(membersOf(directory));
      const outside = this.#target.processes().filter((process) => !members.has(process.pid) && !moved.has(keyOf(process)));
      for (const process of outside) {
        moved.add(keyOf(process));
        if (lookAtProcess(process.pid)?.startTicks === process.startTicks) move(directory, process.pid);
      }
      if (outside.length === 0 && seen.test(readFileSync(path.join(directory, seenIn), "utf8"))) return;
      if (Date.now() > deadline) {
        const values = { sandbox: this.#target.sandboxId, seconds: freezeMs / 1000 };
        throw new GloveboxError("PAUSE_UNAVAILABLE", "sandbox.freezer-slow", { values });
      }
      await pauseOver();
    }
  }

  /** In version 1 even SIGKILL waits for a thaw: whoever was sent one leaves the group, and ends. */
  #releaseKilled(directory: string): void {
    for (const pid of membersOf(directory)) if (isKilled(pid)) move(path.dirname(directory), pid);
  }

  /** Idempotent. */
  resume(): void {
    clearInterval(this.#timer);
    if (this.#directory !== undefined) thaw(this.#directory);
  }

  /** After the sandbox's last process. */
  async remove(): Promise<void> {
    this.resume();
    if (this.#directory !== undefined) await removeCgroup(this.#directory);
  }
}

/** Of a group that stops processes; nothing for any other, or for one that is not there. */
export function thaw(directory: string): void {
  for (const { file, thawed } of [words[1], words[2]]) {
    try {
      writeFileSync(path.join(directory, file), thawed, { flag: "r+" });
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error; // of the other version
    }
  }
}

/** One that has ended meanwhile needs no stopping. */
function move(directory: string, pid: number): void {
  try {
    writeFileSync(path.join(directory, "cgroup.procs"), String(pid));
  } catch (error) {
    if (systemErrorCode(error) !== "ESRCH") throw error;
  }
}
