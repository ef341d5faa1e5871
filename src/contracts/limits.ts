// The limits of one task and what it means to reach one.

/** Every limit that this version enforces. Absent machinery is a policy error, never a silent default. */
export interface Limits {
  /** Processor time of everything a command starts, together, milliseconds. */
  readonly cpuMs: number;
  /** Processors that a task may keep busy at once; may be a fraction. */
  readonly cpuCores: number;
  /** Memory of the whole task, files in its private places included. */
  readonly memoryBytes: number;
  /** Processes and threads of the task together. */
  readonly processes: number;
  /** Bytes that the task may keep: in its private places, and added to its write roots. A file counts at least 4 KiB. */
  readonly diskBytes: number;
  /** Open descriptors of one process (RLIMIT_NOFILE). */
  readonly openFiles: number;
  /** Bytes of stdout + stderr a command may produce before it is ended. */
  readonly outputBytes: number;
  /** Bytes of output handed back to the caller of a program interface (`--json`, later MCP); the rest is counted and hashed. */
  readonly returnedBytes: number;
  /** Wall time of one command, milliseconds. */
  readonly wallMs: number;
  /** Calls that the mediator refused and places that the gate refused, together, that stop the task; Infinity: it is never stopped. */
  readonly denials: number;
}

/** Limits that can be reached or that shape a run; `returned` only cuts what is handed back. */
export const limitNames = ["cpuTime", "cpuCores", "memory", "processes", "disk", "openFiles", "output", "wall", "denials"] as const;
export type LimitName = (typeof limitNames)[number];

/** The value of each limit as records hold it: whole numbers, in ms, bytes and counts; `cpuCores` in thousandths. */
export function allowedOf(limits: Limits): Readonly<Record<LimitName, number>> {
  return {
    cpuTime: limits.cpuMs,
    cpuCores: Math.round(limits.cpuCores * 1000),
    memory: limits.memoryBytes,
    processes: limits.processes,
    disk: limits.diskBytes,
    openFiles: limits.openFiles,
    output: limits.outputBytes,
    wall: limits.wallMs,
    denials: limits.denials,
  };
}

/** A limit that was reached; recorded. */
export interface LimitHit {
  readonly limit: LimitName;
  /** The configured value, in the unit of the limit (ms, bytes, count). */
  readonly allowed: number;
  /** The value observed when it was noticed, same unit. */
  readonly observed: number;
}

/** How a limit is kept: by the kernel (`held`) or by our watching (`supervised`). */
export interface LimitMechanism {
  readonly limit: LimitName;
  readonly mechanism: string;
  readonly strength: "held" | "supervised";
  /** Of a supervised one: how far beyond it a hostile program came at worst when it was measured, e.g. `180 MiB`. */
  readonly overshoot?: string | undefined;
}

/** What a task used, as the host saw it. INVARIANT: evidence, not what the guard reports. */
export interface UsageEvidence {
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
  /** Processes and threads at once, our own inside not counted. */
  readonly peakProcesses: number;
}
