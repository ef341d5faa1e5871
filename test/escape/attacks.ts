// Every attack row, listed once.
import { caller } from "./attacks/caller.ts";
import { kernelDoors } from "./attacks/kernel-doors.ts";
import { namespaces } from "./attacks/namespaces.ts";
import { peersOfTheHost } from "./attacks/peers-of-the-host.ts";
import { processes } from "./attacks/processes.ts";
import { reads } from "./attacks/reads.ts";
import { writes } from "./attacks/writes.ts";
import type { Attack } from "./harness/attack.ts";

export const attacks: readonly Attack[] = [...reads, ...writes, ...namespaces, ...processes, ...kernelDoors, ...peersOfTheHost, ...caller];
