// The process boundary: a Linux process tree behind bubblewrap, Landlock and seccomp. INVARIANT I-02, I-03, I-04, I-09
import type { Boundary, HostUser, OpenContext, PathPolicy, Sandbox, SandboxSpec, WallReport } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import os from "node:os";
import { type Cgroup, findCgroups, joinCgroup, makeCgroup, removeCgroup } from "./cgroups.ts";
import { confirmPlaces } from "./confirm-places.ts";
import { hostFileTree } from "./file-tree.ts";
import { isUidPromised } from "./identity.ts";
import { captiveArguments } from "./captive-arguments.ts";
import { requireCaptive } from "./captive-failure.ts";
import { captiveLayer } from "./captive-layer.ts";
import { captiveDescriptor, launch, type Launched } from "./launch.ts";
import { layoutText } from "./layout.ts";
import type { Masker } from "./masker.ts";
import { maskerLayer, openMasker, startMasker } from "./open-masker.ts";
import { bubblewrapCommand, type TestLayers } from "./layers.ts";
import { planSandbox, type SandboxPlan } from "./plan.ts";
import { probeProcessBoundary } from "./probe.ts";
import { ProcessSandbox } from "./process-sandbox.ts";
import { markerOf } from "./reap.ts";
import { type ProtectedPath, withheldOn } from "./rules.ts";
import { isExecutable, requireBubblewrap } from "./tools.ts";

export { reapProcessSandbox, type ReapCounts, type ReapRequest } from "./reap.ts";
export { requireBubblewrap } from "./tools.ts";
export { sandboxPath } from "./environment.ts";
export { planSandbox, type PlanFacts, type SandboxPlan } from "./plan.ts";
export type { ProtectedPath } from "./rules.ts";
export type { TestLayers } from "./layers.ts";

export interface ProcessBoundaryOptions {
  /** Absolute; otherwise /usr/bin/bwrap or /usr/local/bin/bwrap. The caller's PATH is never searched. */
  readonly bubblewrap?: string;
  /** Absolute path of the guard that `make -C native` built. */
  readonly guardPath: string;
  /** Absolute path of the launcher. */
  readonly launcherPath: string;
  /** Absolute path of the program that makes the captive network; used where a sandbox has an egress endpoint. */
  readonly captivePath: string;
  /** For tests of a kernel without pairs of interfaces: the captive network is one. */
  readonly networks?: "found" | "one";
  /** Absolute path of the masker; used where a rule denies what may appear later. */
  readonly maskerPath: string;
  /** Directories of Glovebox itself: state and runtime `hidden`, the installation `read-only`. */
  readonly protectedPaths: readonly ProtectedPath[];
  /** A file of the state by which sandboxes that share a write root exclude each other; it is made. Absent: no two may share one. */
  readonly sharedLockPath?: string;
  /** For tests of a machine that lets nobody make control groups: `none` looks for no group. */
  readonly cgroups?: "found" | "none";
  /** For tests of the layers: leaves some out. Only with the guard's test build, else open fails. */
  readonly testLayers?: TestLayers;
}

const allLayers: TestLayers = { outer: true, inner: true };

function requireTools(options: ProcessBoundaryOptions, layers: TestLayers): { readonly bubblewrapPath: string } {
  const bubblewrapPath = requireBubblewrap(options.bubblewrap);
  const refuse = (situation: string, path: string): never => {
    throw new GloveboxError("WALL_UNAVAILABLE", situation, { values: { path } });
  };
  if (!isExecutable(options.guardPath)) refuse("wall.guard-missing", options.guardPath);
  if (layers.outer && !isExecutable(options.launcherPath)) refuse("wall.launcher-missing", options.launcherPath);
  return { bubblewrapPath };
}

function wallReport(plan: SandboxPlan, launched: Launched, layers: TestLayers, masker: Masker | undefined): WallReport {
  const outer = { name: "bubblewrap", detail: "user, mount, pid, ipc, uts, cgroup and net namespaces; no capabilities" };
  const inner = launched.ready.layers.map((name) => ({ name, detail: name === "landlock" ? `ABI ${launched.ready.landlockAbi}` : "on" }));
  const { identity } = plan;
  // A layer that is not whole, named where the layers are.
  const opened = { name: "nestedNamespaces", detail: "user, pid and net" };
  return {
    layers: [
      ...(layers.outer ? [outer] : []),
      ...(plan.mediation.nested === true ? [opened] : []),
      ...captiveLayer(launched.captive?.form),
      ...inner,
      ...(layers.outer ? maskerLayer(masker, plan) : []),
    ],
    limits: plan.limits.mechanisms,
    ...plan.sheet,
    connects: [],
    identity: { hostUid: identity.hostUid, hostGid: identity.hostGid, insideUid: identity.insideUid, capabilities: [] },
  };
}

/** Whether a process has it the launcher finds out, right before it takes it. */
function isUidTaken(uid: number): boolean {
  const tree = hostFileTree(true);
  const text = (file: string): string => tree.text(file) ?? "";
  const subordinate = ["/etc/subuid", "/etc/subgid"].map(text);
  return isUidPromised(uid, { passwd: text("/etc/passwd"), subordinate });
}

function planOf(options: ProcessBoundaryOptions, spec: SandboxSpec, isRoot: boolean): SandboxPlan {
  const plan = planSandbox(spec, {
    tree: hostFileTree(!isRoot),
    protectedPaths: options.protectedPaths,
    guardPath: options.guardPath,
    captivePath: options.captivePath,
    machine: { cgroups: cgroupsFor(options, spec.sandboxId), processors: os.availableParallelism() },
  });
  if (plan.masks !== undefined && !isExecutable(options.maskerPath)) {
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.masker-missing", { values: { path: options.maskerPath } });
  }
  if (isRoot && isUidTaken(plan.identity.hostUid)) {
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.uid-taken", { values: { uid: plan.identity.hostUid } });
  }
  return plan;
}

/** Each program starts the next: the launcher, what makes the captive network, bubblewrap. */
function programsOf({ options, spec, plan, layers, bubblewrapPath }: Starting) {
  const command = bubblewrapCommand(plan, { guardPath: options.guardPath, sandboxId: spec.sandboxId, layers });
  if (!layers.outer) return { program: bubblewrapPath, args: command, input: undefined };
  const path = plan.captivePath;
  const captive =
    path === undefined ? [] : captiveArguments({ path, channel: captiveDescriptor, isOneNetwork: options.networks === "one" });
  return {
    program: options.launcherPath,
    args: [markerOf(spec.sandboxId)],
    input: layoutText({ operations: plan.layout, command: [...captive, bubblewrapPath, ...command] }),
  };
}

function launchPlanned(starting: Starting, masker: Masker | undefined) {
  const { options, spec, plan, layers, bubblewrapPath, signal } = starting;
  return launch({
    sandboxId: spec.sandboxId,
    ...programsOf(starting),
    egress: spec.egress,
    bubblewrapPath,
    guardPath: options.guardPath,
    rules: masker === undefined ? plan.landlockRules : (guardPid) => openMasker(masker, plan, layers.outer ? guardPid : 0),
    mediation: plan.mediation,
    privateDirectory: spec.privateDirectory,
    sharedLockPath: options.sharedLockPath,
    boundProcessors: plan.limits.boundProcessors,
    layers,
    isTest: options.testLayers !== undefined,
    signal,
  });
}

/** The captive network is a part of the outer wall, like the one with a loopback alone. */
function withoutEgress({ egress: _egress, ...spec }: SandboxSpec): SandboxSpec {
  return spec;
}

async function openSandbox(options: ProcessBoundaryOptions, asked: SandboxSpec, context: OpenContext): Promise<Sandbox> {
  const layers = options.testLayers ?? allLayers;
  const spec = layers.outer ? asked : withoutEgress(asked);
  if (process.getuid?.() !== spec.user.uid) {
    // A broker serves its own uid only: for another one, what the plan says of owners would be wrong.
    throw new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: spec.sandboxId, detail: `uid ${spec.user.uid}` } });
  }
  // Without the outer wall a test runs as whoever started it: the launcher is a part of that wall.
  const isRoot = spec.user.uid === 0 && layers.outer;
  const { bubblewrapPath } = requireTools(options, layers);
  if (spec.egress !== undefined) requireCaptive(options.captivePath);
  const plan = planOf(options, spec, isRoot);
  context.signal.throwIfAborted();
  await context.journal({ kind: "process", name: spec.sandboxId });
  for (const { directory } of plan.limits.cgroups) await context.journal({ kind: "cgroup", name: directory });
  context.signal.throwIfAborted();
  try {
    return await startSandbox({ options, spec, plan, layers, isRoot, bubblewrapPath, signal: context.signal });
  } catch (error) {
    for (const { directory } of plan.limits.cgroups) await removeCgroup(directory);
    throw error;
  }
}

/** A test that leaves layers out has no control groups either: they are a part of the outer wall. */
function cgroupsFor({ cgroups, testLayers }: ProcessBoundaryOptions, sandboxId: string): readonly Cgroup[] {
  return cgroups === "none" || testLayers?.outer === false ? [] : findCgroups(sandboxId);
}

interface Starting {
  readonly options: ProcessBoundaryOptions;
  readonly spec: SandboxSpec;
  readonly plan: SandboxPlan;
  readonly layers: TestLayers;
  readonly isRoot: boolean;
  readonly bubblewrapPath: string;
  readonly signal: AbortSignal;
}

/** On rejection nothing is left but control groups without members. */
async function startSandbox(starting: Starting): Promise<Sandbox> {
  const { options, spec, plan, isRoot } = starting;
  const { cgroups, limits, tasksMaximum } = plan.limits;
  // Root's launcher joins before it becomes bubblewrap, which then is one more member; what makes the captive network is another.
  const outside = isRoot ? 1 + (spec.egress === undefined ? 0 : 1) : 0;
  for (const group of cgroups) makeCgroup(group, limits, tasksMaximum + outside);
  const masker = startMasker(options.maskerPath, spec.sandboxId, plan);
  try {
    return await startGuarded(starting, masker);
  } catch (error) {
    await masker?.close();
    throw error;
  }
}

async function startGuarded(starting: Starting, masker: Masker | undefined): Promise<Sandbox> {
  const { spec, plan, layers, isRoot } = starting;
  const { cgroups } = plan.limits;
  const launched = await launchPlanned(starting, masker);
  const { guardPid } = launched;
  const target = { guardPid, plan: plan.limits, writeRoots: plan.mediation.writeRoots, isIdle: () => launched.session.openCommands === 0 };
  const sandbox = new ProcessSandbox(spec, plan, { ...launched, masker }, wallReport(plan, launched, layers, masker));
  try {
    // Root's launcher joined before it became anybody else. The guard has started nothing yet: whatever it starts is born in its groups.
    if (!isRoot) for (const group of cgroups) joinCgroup(group, guardPid);
    if (layers.outer) sandbox.watch(target);
    if (layers.outer) confirmPlaces(plan.view, hostFileTree(true), isRoot ? `/proc/${guardPid}/root` : "");
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

export { isShownByDefault } from "./shown-by-default.ts";
export { homeInside } from "./inside.ts";

/** The entries of allowRead and allowWrite that open nothing here: see `PathPolicy.openedWithin`. */
export function withheldEntries(paths: PathPolicy, user: HostUser): readonly string[] {
  return withheldOn(hostFileTree(user.uid !== 0), paths, user.home);
}

/** Opens nothing yet; `probe()` says what this machine can hold. */
export function openProcessBoundary(options: ProcessBoundaryOptions): Boundary {
  return {
    kind: "process",
    probe: () => probeProcessBoundary(options),
    open: (spec, context) => openSandbox(options, spec, context),
  };
}
