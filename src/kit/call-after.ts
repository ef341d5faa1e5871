// Timers that may lie months ahead. Node's own fire at once when they are set for more than 2^31 - 1 ms, a little under 25 days, and do not count the time
// that a machine was asleep.
import { monotonicMs } from "./monotonic.ts";

/** A machine that wakes up finds out within this time. */
const longestWaitMs = 60_000;

/**
 * Calls `act` once `durationMs` have passed: by the wall clock, which goes on while the machine sleeps, or by the one that nobody sets back, whichever says so
 * first. @returns what calls it off
 */
export function callAfter(durationMs: number, nowMs: () => number, act: () => void): () => void {
  const since = { wall: nowMs(), monotonic: monotonicMs() };
  let timer: NodeJS.Timeout;
  const leftMs = (): number => durationMs - Math.max(nowMs() - since.wall, monotonicMs() - since.monotonic);
  const look = (): void => {
    const left = leftMs();
    if (left <= 0) act();
    else wait(left);
  };
  const wait = (left: number): void => {
    timer = setTimeout(look, Math.min(Math.max(left, 0), longestWaitMs));
  };
  wait(durationMs);
  return () => clearTimeout(timer);
}
