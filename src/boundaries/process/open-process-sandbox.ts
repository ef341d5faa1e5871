// Opens one process sandbox: the walls come up while the view is planned, and nothing runs before both are seen to be whole. INVARIANT I-02, I-03, I-04, I-09
import os from "node:os";
import { captiveArguments, captiveLayer, requireCaptive } from "../../captive/captive.ts";
import type { OpenContext, Sandbox, SandboxSpec, WallReport } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { dropTouchLog } from "../../guard/guard.ts";
import {
  type Cgroup,
  findCgroups,
  isExecutable,
  isUidPromised,
  joinCgroup,
  layoutText,
  limitCgroup,
  makeCgroup,
  markerOf,
  removeCgroup,
  runOperation,
} from "../../linux/linux.ts";
import { type Beginning, type BeginningFacts, planBeginning } from "./beginning.ts";
import { confirmPlaces } from "./confirm-places.ts";
import { hostFileTree } from "./file-tree.ts";
import type { Identity } from "./identity.ts";
import { scratchInside } from "./inside.ts";
import { captiveDescriptor } from "./host-child.ts";
import { type Furnishing, launch, type Launched } from "./launch.ts";
import { bubblewrapCommand, type TestLayers } from "./layers.ts";
import type { Masker } from "./masker.ts";
import { maskerLayer, openMasker, startMasker } from "./open-masker.ts";
import { planSandbox, type SandboxPlan } from "./plan.ts";
import type { ProcessBoundaryOptions } from "./process.ts";
import { ProcessSandbox } from "./process-sandbox.ts";
import type { Residence } from "./residence.ts";
import { rememberingTree } from "./remembering-tree.ts";
import { requireBubblewrap } from "./tools.ts";

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

function wallReport({ plan, masker }: Furnished, { spec, beginning: { identity }, layers }: Starting, launched: Launched): WallReport {
  const { caches } = spec;
  const outer = { name: "bubblewrap", detail: "user, mount, pid, ipc, uts, cgroup and net namespaces; no capabilities" };
  const inner = launched.ready.layers.map((name) => ({ name, detail: name === "landlock" ? `ABI ${launched.ready.landlockAbi}` : "on" }));
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
    ...(caches === undefined || !layers.outer ? {} : { caches: { id: caches.id, names: caches.names } }),
    identity: { hostUid: identity.hostUid, hostGid: identity.hostGid, insideUid: identity.insideUid, capabilities: [] },
  };
}

/** Whether a process has it the launcher finds out, right before it takes it. */
function refusePromisedUid({ hostUid }: Identity): void {
  const tree = hostFileTree(true);
  const text = (file: string): string => tree.text(file) ?? "";
  const subordinate = ["/etc/subuid", "/etc/subgid"].map(text);
  if (isUidPromised(hostUid, { passwd: text("/etc/passwd"), subordinate }))
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.uid-taken", { values: { uid: hostUid } });
}

/** What all sandboxes of one boundary have in common. */
export interface ProcessParts {
  readonly options: ProcessBoundaryOptions;
  readonly residence: Residence;
}

/** What is known when the walls are on their way up. */
interface Starting {
  readonly options: ProcessBoundaryOptions;
  readonly spec: SandboxSpec;
  readonly facts: BeginningFacts;
  readonly beginning: Beginning;
  readonly layers: TestLayers;
  readonly isRoot: boolean;
  readonly bubblewrapPath: string;
  readonly residence: Residence;
  readonly signal: AbortSignal;
  readonly journal: OpenContext["journal"];
}

/** What is known when they are whole. */
interface Furnished {
  readonly plan: SandboxPlan;
  readonly masker: Masker | undefined;
}

/** Each program starts the next: the launcher, what makes the captive network, bubblewrap. */
function programsOf(starting: Starting) {
  const { options, spec, beginning, layers, bubblewrapPath } = starting;
  const command = bubblewrapCommand(beginning, { guardPath: options.guardPath, sandboxId: spec.sandboxId, layers });
  if (!layers.outer) return { program: bubblewrapPath, args: command, begin: undefined };
  const path = beginning.captivePath;
  const captive =
    path === undefined ? [] : captiveArguments({ path, channel: captiveDescriptor, isOneNetwork: options.networks === "one" });
  return {
    program: options.launcherPath,
    args: [markerOf(spec.sandboxId)],
    begin: () => {
      makeReady(starting);
      return layoutText([...beginning.layout, runOperation([...captive, bubblewrapPath, ...command])]);
    },
  };
}

/** What must be there before the launcher becomes anybody, and may come up beside its own start. */
function makeReady({ facts, beginning, isRoot }: Starting): void {
  if (isRoot) refusePromisedUid(beginning.identity);
  for (const group of facts.machine.cgroups) makeCgroup(group);
}

/** Nothing has run in the control groups yet but what is ours. */
function limitGroups({ spec, isRoot }: Starting, { limits: { cgroups, limits, tasksMaximum } }: SandboxPlan): void {
  // Root's launcher joins before it becomes bubblewrap, which then is one more member; what makes the captive network is another.
  const outside = isRoot ? 1 + (spec.egress === undefined ? 0 : 1) : 0;
  for (const group of cgroups) limitCgroup(group, limits, tasksMaximum + outside);
}

function furnish(starting: Starting): Furnished {
  const { options, spec, facts, beginning } = starting;
  const plan = planSandbox(spec, { ...facts, protectedPaths: options.protectedPaths }, beginning);
  if (plan.masks !== undefined && !isExecutable(options.maskerPath)) {
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.masker-missing", { values: { path: options.maskerPath } });
  }
  limitGroups(starting, plan);
  return { plan, masker: startMasker(options.maskerPath, spec.sandboxId, plan) };
}

function furnishingOf({ plan, masker }: Furnished, { layers }: Starting): Furnishing {
  return {
    input: layoutText(plan.layout),
    rules: masker === undefined ? plan.landlockRules : (guardPid) => openMasker(masker, plan, layers.outer ? guardPid : 0),
    mediation: plan.mediation,
  };
}

function launchFurnished(starting: Starting, furnish: () => Furnishing): Promise<Launched> {
  const { options, spec, beginning, layers, bubblewrapPath, residence, signal } = starting;
  return launch({
    sandboxId: spec.sandboxId,
    resident: () => residence.find(),
    ...programsOf(starting),
    egress: spec.egress,
    bubblewrapPath,
    guardPath: options.guardPath,
    furnish,
    mayWrite: beginning.mayWrite,
    privateDirectory: spec.privateDirectory,
    sharedLockPath: options.sharedLockPath,
    boundProcessors: beginning.boundProcessors,
    layers,
    isTest: options.testLayers !== undefined,
    signal,
  });
}

/** The captive network is a part of the outer wall, like the one with a loopback alone. */
function withoutEgress({ egress: _egress, ...spec }: SandboxSpec): SandboxSpec {
  return spec;
}

function factsOf(options: ProcessBoundaryOptions, spec: SandboxSpec, isRoot: boolean): BeginningFacts {
  const { guardPath, captivePath } = options;
  const machine = { cgroups: cgroupsFor(options, spec.sandboxId), processors: os.availableParallelism() };
  return { tree: hostFileTree(!isRoot), guardPath, captivePath, machine };
}

export async function openProcessSandbox({ options, residence }: ProcessParts, asked: SandboxSpec, context: OpenContext): Promise<Sandbox> {
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
  const facts = factsOf(options, spec, isRoot);
  const beginning = planBeginning(spec, facts);
  context.signal.throwIfAborted();
  await context.journal({ kind: "process", name: spec.sandboxId });
  for (const { directory } of facts.machine.cgroups) await context.journal({ kind: "cgroup", name: directory });
  context.signal.throwIfAborted();
  try {
    return await startSandbox({ options, spec, facts, beginning, layers, isRoot, bubblewrapPath, residence, ...context });
  } catch (error) {
    dropTouchLog(spec.privateDirectory);
    for (const { directory } of facts.machine.cgroups) await removeCgroup(directory);
    throw error;
  }
}

/** A test that leaves layers out has no control groups either: they are a part of the outer wall. */
function cgroupsFor({ cgroups, testLayers }: ProcessBoundaryOptions, sandboxId: string): readonly Cgroup[] {
  return cgroups === "none" || testLayers?.outer === false ? [] : findCgroups(sandboxId);
}

/** On rejection nothing is left but control groups without members and an empty list of changes. */
async function startSandbox(starting: Starting): Promise<Sandbox> {
  let furnished: Furnished | undefined;
  try {
    const launched = await launchFurnished(starting, () => {
      furnished = furnish(starting);
      return furnishingOf(furnished, starting);
    });
    if (furnished === undefined) throw new TypeError("Cannot open a sandbox that nothing furnished");
    return await occupy(starting, furnished, launched);
  } catch (error) {
    await furnished?.masker?.close();
    throw error;
  }
}

async function occupy(starting: Starting, furnished: Furnished, launched: Launched): Promise<Sandbox> {
  const { spec, layers, isRoot } = starting;
  const { plan, masker } = furnished;
  const { cgroups } = plan.limits;
  const { guardPid } = launched;
  const writeRoots = [...plan.mediation.writeRoots, ...(spec.caches?.places ?? []).map(({ source }) => source)];
  const privatePlaces = [scratchInside, "/dev/shm"];
  const target = { guardPid, plan: plan.limits, privatePlaces, writeRoots, isIdle: () => launched.session.openCommands === 0 };
  const sandbox = new ProcessSandbox(
    spec,
    plan,
    { ...launched, masker, journal: starting.journal },
    wallReport(furnished, starting, launched),
  );
  try {
    // Root's launcher joined before it became anybody else. The guard has started nothing yet: whatever it starts is born in its groups.
    if (!isRoot) for (const group of cgroups) joinCgroup(group, guardPid);
    if (layers.outer) sandbox.watch(target);
    if (layers.outer) confirmPlaces(plan, rememberingTree(hostFileTree(true)), isRoot ? `/proc/${guardPid}/root` : "");
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
