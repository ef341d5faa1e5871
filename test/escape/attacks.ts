// Every attack row, listed once.
import { caller } from "./attacks/caller.ts";
import { deniedPrograms } from "./attacks/denied-programs.ts";
import { kernelDoors } from "./attacks/kernel-doors.ts";
import { lateNames } from "./attacks/late-names.ts";
import { limits } from "./attacks/limits.ts";
import { namespaces } from "./attacks/namespaces.ts";
import { nestedNamespaces } from "./attacks/nested-namespaces.ts";
import { neighbours } from "./attacks/neighbours.ts";
import { pastTheGate } from "./attacks/past-the-gate.ts";
import { peersOfTheHost } from "./attacks/peers-of-the-host.ts";
import { planting } from "./attacks/planting.ts";
import { plantingSpellings } from "./attacks/planting-spellings.ts";
import { privilegedFiles } from "./attacks/privileged-files.ts";
import { processes } from "./attacks/processes.ts";
import { rawNetwork } from "./attacks/raw-network.ts";
import { reads } from "./attacks/reads.ts";
import { replacements } from "./attacks/replacements.ts";
import { sharedPlaces } from "./attacks/shared-places.ts";
import { unmadePaths } from "./attacks/unmade.ts";
import { writes } from "./attacks/writes.ts";
import type { Attack } from "./harness/attack.ts";

export const attacks: readonly Attack[] = [
  ...reads,
  ...writes,
  ...privilegedFiles,
  ...replacements,
  ...lateNames,
  ...planting,
  ...plantingSpellings,
  ...unmadePaths,
  ...namespaces,
  ...nestedNamespaces,
  ...processes,
  ...kernelDoors,
  ...deniedPrograms,
  ...sharedPlaces,
  ...peersOfTheHost,
  ...caller,
  ...neighbours,
  ...rawNetwork,
  ...pastTheGate,
  ...limits,
];
