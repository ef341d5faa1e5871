// A lane's deadline is for a machine that has nothing else to do: shared with other work, the same lane takes as many times longer as there are
// programs for each processor. It ends what hangs; it does not measure.
import os from "node:os";

/** However busy the machine is: a lane that hangs keeps nobody waiting for longer. */
const mostTimes = 4;

export interface MachineLoad {
  /** Programs that want to run, on average over the last minutes. */
  readonly runnable: number;
  readonly processors: number;
}

/** The busier of the last minute and the last five: neither a short lull nor a burst that is over decides. */
export function readMachineLoad(): MachineLoad {
  const [lastMinute = 0, lastFive = 0] = os.loadavg();
  return { runnable: Math.max(lastMinute, lastFive), processors: os.availableParallelism() };
}

/** @returns how much longer a lane that has run for `elapsedMs` may go on; 0 when it has overrun */
export function remainingMs(deadlineMs: number, elapsedMs: number, { runnable, processors }: MachineLoad): number {
  const times = Math.min(mostTimes, Math.max(1, runnable / processors));
  return Math.max(0, Math.ceil(deadlineMs * times - elapsedMs));
}
