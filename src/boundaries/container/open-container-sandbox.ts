// Opens one container: plans everything, journals what will be there, starts the runtime, and believes what the host sees.
// INVARIANT I-02, I-03, I-04, I-09
import os from "node:os";
import { readFileSync } from "node:fs";
import { captiveArguments, captiveLayer, requireCaptive } from "../../captive/captive.ts";
import type { OpenContext, Sandbox, SandboxSpec, WallReport } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import {
  cacheMounts,
  findCgroups,
  groupsOfRuntime,
  isExecutable,
  isUidPromised,
  joinCgroup,
  layoutText,
  limitCgroup,
  type LimitPlan,
  makeCgroup,
  planLimits,
  removeCgroup,
  runOperation,
} from "../../linux/linux.ts";
import type { ContainerMachine } from "./container.ts";
import { refuseUnbuilt, type Workspace, workspaceOf } from "./container-paths.ts";
import { ContainerSandbox } from "./container-sandbox.ts";
import { guardRules } from "./guard-rules.ts";
import {
  asGvisorReads,
  gvisorDetail,
  gvisorFlags,
  requireCountedMemory,
  guardForm,
  mountedPlaces,
  planGvisorLimits,
  type Platform,
  processorsOfGvisor,
  refuseUnderGvisor,
  sentryUid,
} from "./gvisor.ts";
import { builtTemplate, hostTemplate, lookAtHost, type RootTemplate } from "./host-template.ts";
import { type ContainerIdentity, containerIdentity } from "./identity.ts";
import { homeInside, inputInside, outputInside, sharedInside, temporaryInside } from "./inside.ts";
import { captiveDescriptor, launchContainer, type Launched } from "./launch.ts";
import { ociDocument } from "./oci-document.ts";
import { bundleDirectory, inRoot, rootDirectory, rootLayout, runtimeDirectory, stageDirectory } from "./root-layout.ts";
import { hiddenFrom, isGvisor, requireRuntime, runCommand, type Runtime, startsAsMember } from "./runtimes.ts";
import { allowedCalls } from "./seccomp-profile.ts";
import { identityOfFile, identityOfPlace, type ShownFile, shownFilesOf } from "./shown-files.ts";

/** Everything that is known before anything is made. */
interface ContainerPlan {
  readonly runtime: Runtime;
  /** Of gVisor; undefined where Linux itself is the container's kernel. */
  readonly platform: Platform | undefined;
  readonly identity: ContainerIdentity;
  /** As whom the host sees what runs in it. */
  readonly seen: { readonly uid: number; readonly gid: number };
  readonly workspace: Workspace;
  readonly template: RootTemplate;
  readonly shown: readonly ShownFile[];
  readonly limits: LimitPlan;
  /** Ours, and those that the runtime makes beside them. */
  readonly groups: readonly string[];
  /** For the launcher. */
  readonly layout: string;
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // not there: it promises no uid to anybody
  }
}

/** Whether a process has one the launcher finds out, right before it gives files to it. */
function refusePromisedUids({ uidMappings }: ContainerIdentity): void {
  const files = { passwd: text("/etc/passwd"), subordinate: [text("/etc/subuid"), text("/etc/subgid")] };
  const promised = uidMappings.find(({ hostID }) => isUidPromised(hostID, files));
  if (promised !== undefined) throw new GloveboxError("WALL_UNAVAILABLE", "wall.uid-taken", { values: { uid: promised.hostID } });
}

/** How many of our own processes stay in root's control groups, beside what the guard starts. */
function membersOf({ user, egress }: SandboxSpec, { runtime }: Pick<ContainerPlan, "runtime">): number {
  if (user.uid !== 0 || !startsAsMember(runtime)) return 0;
  return egress === undefined ? 1 : 2;
}

/** What makes the network that the runtime is started in, and becomes its parent. */
function captiveOf({ captivePath, networks }: ContainerMachine, spec: SandboxSpec, identity: ContainerIdentity): readonly string[] {
  if (spec.egress === undefined) return [];
  const { watcherUid } = identity;
  return captiveArguments({ path: captivePath, channel: captiveDescriptor, watcherUid, isOneNetwork: networks === "one" });
}

function layoutOf(options: ContainerMachine, spec: SandboxSpec, plan: Omit<ContainerPlan, "layout" | "groups">): string {
  const { runtime, identity, workspace, template, shown, limits } = plan;
  const isNetworkGiven = spec.egress !== undefined;
  const place = (name: string): string => `${stageDirectory}/${name}`;
  const { platform } = plan;
  const places = platform === undefined ? [] : mountedPlaces(workspace).map((one) => ({ ...one, source: place(inRoot(one.path)) }));
  const form = platform === undefined ? [] : [guardForm];
  const document = ociDocument({
    sandboxId: spec.sandboxId,
    identity,
    root: place(rootDirectory),
    sharedBytes: limits.sharedBytes,
    isNetworkGiven,
    boundProcessors: platform === undefined ? limits.boundProcessors : undefined,
    guardArguments: options.guardLayers === "none" ? [...form, "--without=all"] : form,
    places,
  });
  options.refuseOpenDocument(document, { isNetworkGiven, binds: places });
  const operations = rootLayout({
    spec,
    template,
    workspace,
    shown,
    caches: cacheMounts(spec, { home: homeInside, laidOut: inRoot, identityOf: identityOfPlace }),
    identity,
    guardPath: options.guardPath,
    stageDirectory,
    scratchBytes: limits.scratchBytes,
    document: JSON.stringify(platform === undefined ? document : asGvisorReads(document, spec.user.uid)),
    joined: platform !== undefined || membersOf(spec, plan) > 0 ? limits.cgroups.map(({ joinFile }) => joinFile) : [],
    isGvisor: platform !== undefined,
    hidden: hiddenFrom(runtime),
  });
  const flags = platform === undefined ? [] : gvisorFlags(platform, spec.user.uid);
  const bound = platform === undefined ? [] : processorsOfGvisor(limits);
  const command = runCommand(runtime, { state: place(runtimeDirectory), bundle: place(bundleDirectory), flags }, spec.sandboxId);
  const channel = platform === undefined ? [] : [["channel"] as const];
  return layoutText([...operations, ...channel, runOperation([...captiveOf(options, spec, identity), ...bound, ...command])]);
}

async function planContainer(options: ContainerMachine, spec: SandboxSpec): Promise<ContainerPlan> {
  const runtime = requireRuntime(options.runtime);
  const platform = isGvisor(runtime) ? await options.platformOf(runtime) : undefined;
  for (const [situation, path] of [
    ["wall.guard-missing", options.guardPath],
    ["wall.launcher-missing", options.launcherPath],
  ] as const)
    if (!isExecutable(path)) throw new GloveboxError("WALL_UNAVAILABLE", situation, { values: { path } });
  if (spec.egress !== undefined) requireCaptive(options.captivePath);
  refuseUnbuilt(spec);
  if (platform !== undefined) refuseUnderGvisor(spec);
  const identity = containerIdentity(spec.user, spec.sandboxId);
  if (spec.user.uid === 0) refusePromisedUids(identity);
  const cgroups = options.cgroups === "none" ? [] : findCgroups(spec.sandboxId);
  const processors = os.availableParallelism();
  const limits =
    platform === undefined ? planLimits(spec.limits, { cgroups, processors }) : planGvisorLimits(spec.limits, { cgroups, processors });
  const made = runtime.name === "runc" ? groupsOfRuntime(spec.sandboxId) : [];
  const groups = [...new Set([...cgroups.map(({ directory }) => directory), ...made])];
  const template = spec.template === undefined ? hostTemplate(lookAtHost) : builtTemplate(spec.template.directory);
  const shown = shownFilesOf(spec, template, identityOfFile);
  const isSentry = platform !== undefined && spec.user.uid === 0;
  const seen = isSentry ? { uid: sentryUid, gid: sentryUid } : { uid: identity.hostUid, gid: identity.hostGid };
  const plan = { runtime, platform, identity, seen, workspace: workspaceOf(spec, template.binds), template, shown, limits };
  return { ...plan, groups, layout: layoutOf(options, spec, plan) };
}

/** All that it keeps lies in file systems of a size. */
const diskMechanism = { limit: "disk", mechanism: "tmpfs sizes", strength: "held" } as const;

function wallReport(
  { user, caches, template: given, inputDirectory }: SandboxSpec,
  plan: ContainerPlan,
  { ready, captive }: Launched,
): WallReport {
  const { runtime, seen, identity, template, shown, limits, workspace } = plan;
  const inner = ready.layers.map((name) => ({ name, detail: name === "landlock" ? `ABI ${ready.landlockAbi}` : "on" }));
  const outer = plan.platform === undefined ? "user, mount, pid, ipc, uts, cgroup and net namespaces" : gvisorDetail(plan.platform);
  return {
    layers: [
      { name: runtime.name, detail: `${outer}; read-only root; no capabilities` },
      { name: "runtimeSeccomp", detail: `${allowedCalls.length} system calls allowed` },
      ...captiveLayer(captive?.form),
      ...inner,
    ],
    limits: limits.mechanisms.map((mechanism) => (mechanism.limit === "disk" ? diskMechanism : mechanism)),
    reads: [...template.binds, ...shown.map(({ path }) => path), ...(inputDirectory === undefined ? [] : [inputInside])],
    hidden: [user.home],
    writes: [],
    private: [temporaryInside, homeInside, outputInside, sharedInside, ...(workspace.isWritable ? [workspace.path] : [])],
    connects: [],
    ...(caches === undefined ? {} : { caches: { id: caches.id, names: caches.names } }),
    ...(given === undefined ? {} : { template: { name: given.name, id: given.id } }),
    identity: { hostUid: seen.uid, hostGid: seen.gid, insideUid: identity.insideUid, capabilities: [] },
  };
}

async function occupy(
  options: ContainerMachine,
  spec: SandboxSpec,
  plan: ContainerPlan,
  { signal, journal }: OpenContext,
): Promise<Sandbox> {
  const { limits, identity, groups } = plan;
  for (const group of limits.cgroups) makeCgroup(group);
  const launched = await launchContainer({
    sandboxId: spec.sandboxId,
    launcherPath: options.launcherPath,
    layout: plan.layout,
    egress: spec.egress,
    runtimePath: plan.runtime.path,
    seen: plan.seen,
    platform: plan.platform,
    rules: plan.platform === undefined ? guardRules(plan.template, { ...plan, hasInputs: spec.inputDirectory !== undefined }) : [],
    guardPath: options.guardPath,
    isTest: options.guardLayers === "none",
    signal,
  });
  const sandbox = new ContainerSandbox(spec, {
    launched,
    limits,
    isGvisor: plan.platform !== undefined,
    identity,
    groups,
    journal,
    walls: wallReport(spec, plan, launched),
  });
  try {
    if (plan.platform !== undefined) requireCountedMemory(launched.guardPid, limits);
    // The guard has started nothing yet: whatever it starts is born in its groups. The runtime, which has many threads, is past by now.
    for (const group of limits.cgroups) limitCgroup(group, spec.limits, limits.tasksMaximum + membersOf(spec, plan));
    if (plan.platform === undefined) for (const group of limits.cgroups) joinCgroup(group, launched.guardPid);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

export async function openContainerSandbox(options: ContainerMachine, spec: SandboxSpec, context: OpenContext): Promise<Sandbox> {
  if (process.getuid?.() !== spec.user.uid) {
    // A broker serves its own uid only: for another one, what the plan says of owners would be wrong.
    throw new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: spec.sandboxId, detail: `uid ${spec.user.uid}` } });
  }
  const plan = await planContainer(options, spec);
  context.signal.throwIfAborted();
  await context.journal({ kind: "process", name: spec.sandboxId });
  for (const directory of plan.groups) await context.journal({ kind: "cgroup", name: directory });
  context.signal.throwIfAborted();
  try {
    return await occupy(options, spec, plan, context);
  } catch (error) {
    for (const directory of plan.groups) await removeCgroup(directory);
    throw error;
  }
}
