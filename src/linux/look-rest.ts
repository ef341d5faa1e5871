// How long to leave the processors to others after a look at what a sandbox uses.

/** Looking takes at most one part in so many, and one more, of a processor. */
export const restFactor = 8;

const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Looks, and says how long to rest: by the processor's time, not the clock's. A sandbox that takes every processor makes a look last, and a
 * rest by the clock would give it that much longer unseen.
 * @param cpuMs of this thread
 */
export function restAfter(look: () => void, cpuMs: () => number = threadCpuMs): number {
  const before = cpuMs();
  look();
  return (cpuMs() - before) * restFactor;
}
