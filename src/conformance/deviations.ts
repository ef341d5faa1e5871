// Where a boundary does not do what a case asks, and why.
import type { Deviation } from "./conformance.ts";

type Judged = "memory" | "process" | "container/runc" | "container/crun" | "container/runsc";

export const deviationsOf: Readonly<Record<Judged, readonly Deviation[]>> = {
  memory: [{ case: "a command with a pty sees the size it was given", reason: "scripted programs have no terminal" }],
  process: [],
  "container/runc": [],
  "container/crun": [],
  "container/runsc": [
    "open() with an egress endpoint resolves when the gate listens, not before",
    "open() rejects with the gate's own reason, and closes the gate",
    "close() closes the gate once, before it ends a command",
    "close() ends a sandbox whose gate fails to close",
  ].map((name) => ({ case: name, reason: "a network behind the gate is not built under gVisor: whoever asks for one is refused" })),
};
