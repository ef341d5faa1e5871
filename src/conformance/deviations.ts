// Where a boundary does not do what a case asks, and why.
import type { Deviation } from "./conformance.ts";

type Judged = "memory" | "process" | "container/runc" | "container/crun";

export const deviationsOf: Readonly<Record<Judged, readonly Deviation[]>> = {
  memory: [{ case: "a command with a pty sees the size it was given", reason: "scripted programs have no terminal" }],
  process: [],
  "container/runc": [],
  "container/crun": [],
};
