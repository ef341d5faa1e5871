// The limits of one task and what it means to reach one.

/** Every limit that this version enforces. Absent machinery is a policy error, never a silent default. */
export interface Limits {
  /** Wall time of one command, milliseconds. */
  readonly wallMs: number;
  /** Bytes of stdout + stderr a command may produce before it is ended. */
  readonly outputBytes: number;
  /** Bytes of output handed back to the caller of a program interface (`--json`, later MCP); the rest is counted and hashed. */
  readonly returnedBytes: number;
  /** Open descriptors of one process (RLIMIT_NOFILE). */
  readonly openFiles: number;
}

export type LimitName = "wall" | "output" | "openFiles";

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
}
