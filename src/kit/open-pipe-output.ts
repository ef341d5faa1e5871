// Standard output as a pipe that never blocks the whole program. Node writes to an inherited pipe synchronously: a reader that stops
// would stop our signal handling and our limits with it. Making the inherited descriptor non-blocking would change it for every other
// process that shares it, so the pipe is opened once more, with a file description of its own.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";

/** Undefined when the descriptor is no pipe or may not be opened again (another owner's pipe): then use Node's own stream. */
export function openPipeOutput(descriptor: 1 | 2): Socket | undefined {
  try {
    if (!fstatSync(descriptor).isFIFO()) return undefined;
    const own = openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      return new Socket({ fd: own, readable: false, writable: true });
    } catch {
      closeSync(own);
      return undefined;
    }
  } catch {
    // ENXIO: the reader is gone; EACCES: another owner's pipe. Node's own stream reports what matters.
    return undefined;
  }
}
