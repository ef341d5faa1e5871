// Limits for tests and benches that are about something else.
import type { Limits } from "../limits.ts";

/** No ordinary command comes near them. */
export const roomyLimits: Limits = {
  cpuMs: 600_000,
  cpuCores: 2,
  memoryBytes: 2 ** 31,
  processes: 256,
  diskBytes: 2 ** 32,
  wallMs: 60_000,
  outputBytes: 1 << 26,
  returnedBytes: 1 << 18,
  openFiles: 1024,
  denials: Number.POSITIVE_INFINITY,
};

/** For what starts no process. */
export const smallLimits: Limits = {
  cpuMs: 10_000,
  cpuCores: 2,
  memoryBytes: 1 << 28,
  processes: 64,
  diskBytes: 1 << 28,
  wallMs: 1000,
  outputBytes: 1000,
  returnedBytes: 1000,
  openFiles: 64,
  denials: Number.POSITIVE_INFINITY,
};
