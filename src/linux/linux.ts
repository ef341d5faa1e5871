// What boundaries on Linux have in common: control groups, caches as mounts, limits and their watching, processes as the host sees them, the launcher's
// language, uids of nobody's. Opens nothing itself, and knows of no boundary.
export { allocatedSetUpUid, allocatedUid, allocatedUidBase, allocatedUidCount, isUidPromised } from "./allocated-uid.ts";
export { cacheMounts, cachePlaces } from "./cache-mounts.ts";
export {
  type Cgroup,
  findCgroups,
  freezerPlace,
  groupName,
  groupsOfRuntime,
  innermostFirst,
  isCgroupOf,
  joinCgroup,
  limitCgroup,
  makeCgroup,
  removeCgroup,
} from "./cgroups.ts";
export { endProcesses, isOurUid, markerOf } from "./end-processes.ts";
export {
  commandLine,
  firstOfNamespace,
  type HostProcess,
  listProcesses,
  lookAtProcess,
  networkOf,
  processStatus,
  realUid,
  ofCommands,
  treeOf,
} from "./host-processes.ts";
export { Freezer, thaw } from "./freezer.ts";
export { isExecutable } from "./is-executable.ts";
export { launcherError } from "./launcher-failure.ts";
export { type LayoutOperation, layoutText, runOperation } from "./layout.ts";
export { boundProcessors, type LimitPlan, type MachineFacts, planLimits } from "./limit-plan.ts";
export { LimitWatch, type WatchTarget } from "./limit-watch.ts";
