// The real clock.
import { readFileSync } from "node:fs";

/** Wall time, monotonic time and the boot's identity from the kernel. */
export function systemClock(): { wallMs(): number; monotonicNs(): bigint; readonly bootId: string } {
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return { wallMs: () => Date.now(), monotonicNs: () => process.hrtime.bigint(), bootId };
}
