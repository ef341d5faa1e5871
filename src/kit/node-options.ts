// Options of Node that every process of ours is started with. `scripts/setup/with-node.sh` gives the same ones to the command line.

/**
 * Nothing is compiled on another thread. Such a thread may wait for the main one to collect the heap while that one, at its end, waits for the thread: then
 * the process never ends (nodejs/node#54918). It costs no measurable time.
 */
export const surelyEnding: readonly string[] = ["--no-concurrent-recompilation", "--no-concurrent-sparkplug"];
