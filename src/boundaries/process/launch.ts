// Starts bubblewrap with the guard inside, furnishes the view meanwhile, hands the guard its rules, and confirms from the host that the walls
// stand before anything may run.
import { closeSync } from "node:fs";
import { type CaptiveForm, CaptiveNetwork } from "../../captive/captive.ts";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import {
  contentMax,
  type GuardMediation,
  type GuardReady,
  type GuardRule,
  type GuardSession,
  nameTouchedRoots,
  openGuardSession,
  openTouchLog,
  touchLogPath,
  rightsFor,
} from "../../guard/guard.ts";
import { settles } from "../../kit/settles.ts";
import { confirmWalls } from "./confirm-walls.ts";
import { firstOfNamespace, markerOf } from "../../linux/linux.ts";
import { captiveDescriptor, controlDescriptor, type HostChild, spawnChild } from "./host-child.ts";
import { isViewWhole, launchError, withoutWhole } from "./failures.ts";
import type { LandlockRule } from "./landlock-plan.ts";
import type { TestLayers } from "./layers.ts";
import type { ResidentLauncher } from "./resident-launcher.ts";
import { openSharedLock } from "./shared-lock.ts";

export interface LaunchRequest {
  readonly sandboxId: string;
  /** Absolute program and its arguments: the launcher, or bubblewrap without one. */
  readonly program: string;
  readonly args: readonly string[];
  /** Called once, when the program is there: what it reads from its standard input first. Undefined: nothing, and it furnishes nothing. */
  readonly begin: (() => string) | undefined;
  readonly bubblewrapPath: string;
  readonly guardPath: string;
  /** Given: the program before bubblewrap makes a captive network, and its channel is the descriptor before those of the guard. */
  readonly egress: EgressEndpoint | undefined;
  /** Called once: who starts the launcher in Node's place; undefined: nobody. */
  readonly resident: () => ResidentLauncher | undefined;
  /** Called once, while the walls come up. Whatever it or `begin` throws, nothing is left of them. */
  readonly furnish: () => Furnishing;
  /** Whether the mediation may come to have write roots. */
  readonly mayWrite: boolean;
  /** How many processors the guard must be bound to; undefined: all. */
  readonly boundProcessors: number | undefined;
  /** Where the touch log is made, for whoever closes the sandbox. */
  readonly privateDirectory: string;
  /** See ProcessBoundaryOptions. */
  readonly sharedLockPath: string | undefined;
  readonly layers: TestLayers;
  readonly isTest: boolean;
  readonly signal: AbortSignal;
}

export interface Furnishing {
  /** The rest of what the launcher reads. */
  readonly input: string;
  /** Given the guard, before it gets its rules: what must be done in the built sandbox first may change them. */
  readonly rules: readonly LandlockRule[] | ((guardPid: number) => Promise<readonly LandlockRule[]>);
  readonly mediation: GuardMediation;
}

export interface Launched {
  /** bubblewrap, the launcher's later self. */
  readonly child: HostChild;
  readonly session: GuardSession;
  readonly ready: GuardReady;
  /** The guard, as the host numbers it. */
  readonly guardPid: number;
  /** Undefined when nothing may leave. */
  readonly captive: { readonly network: CaptiveNetwork; readonly form: CaptiveForm } | undefined;
}

/** Of the guard's files: behind the channels. */
function firstGuardFile({ egress }: LaunchRequest): number {
  return egress === undefined ? controlDescriptor + 1 : captiveDescriptor + 1;
}

const stderrMaximum = 16 * 1024;

/** @param heard told all so far whenever there is more */
function collectStderr(child: HostChild, heard: (text: string) => void): () => string {
  let text = "";
  child.text.on("data", (chunk: Buffer) => {
    if (text.length < stderrMaximum) text += chunk.toString("utf8");
    heard(text);
  });
  return () => withoutWhole(text);
}

function guardRules(request: LaunchRequest, rules: readonly LandlockRule[]): readonly GuardRule[] {
  // Without the mounts the sandbox's own places are absent, which no rule may take for an error.
  const isOptional = (rule: LandlockRule): boolean => rule.isOptional || !request.layers.outer;
  return rules.flatMap((rule): readonly GuardRule[] => {
    const place = { path: rule.path, optional: isOptional(rule) };
    if (rule.rights !== "writeRoot") return [{ ...place, rights: rightsFor[rule.rights] }];
    return [
      { ...place, rights: rightsFor.write, domain: "session" },
      { ...place, rights: rightsFor.mediated, domain: "command" },
    ];
  });
}

interface Started {
  readonly child: HostChild;
  /** Resolves when the view is whole, or never will be, whatever the reason. */
  readonly furnished: Promise<boolean>;
  readonly stderr: () => string;
}

/** The list of changes and, where there is one, the lock that sandboxes share; nothing when nothing can be changed. */
function openGuardFiles({ mayWrite, privateDirectory, sharedLockPath }: LaunchRequest): readonly number[] {
  if (!mayWrite) return [];
  const touchLog = openTouchLog(privateDirectory);
  return sharedLockPath === undefined ? [touchLog] : [touchLog, openSharedLock(sharedLockPath)];
}

/** The same files, for whoever opens them by their paths. */
function makeGuardFiles(request: LaunchRequest): readonly [log: string, lock: string] {
  for (const descriptor of openGuardFiles(request)) closeSync(descriptor);
  return request.mayWrite ? [touchLogPath(request.privateDirectory), request.sharedLockPath ?? ""] : ["", ""];
}

/** A channel to Node is Node's alone to make: what has one of its own is started by Node itself. */
async function startChild(request: LaunchRequest): Promise<HostChild> {
  const { program, args, begin, egress } = request;
  const resident = begin === undefined || egress !== undefined ? undefined : request.resident();
  const forked = await resident?.start({ marker: markerOf(request.sandboxId), makeFiles: () => makeGuardFiles(request) });
  return (
    forked ??
    spawnChild({ program, args, readsLayout: begin !== undefined, isCaptive: egress !== undefined, files: openGuardFiles(request) })
  );
}

async function start(request: LaunchRequest): Promise<Started> {
  const view = Promise.withResolvers<boolean>();
  const child = await startChild(request);
  void child.ended.then(() => view.resolve(false));
  const stderr = collectStderr(child, (text) => {
    const isWhole = isViewWhole(text);
    if (isWhole !== undefined) view.resolve(isWhole);
  });
  return { child, furnished: view.promise, stderr };
}

/** The guard is told the numbers that its files have in its process. */
function guardMediation(request: LaunchRequest, mediation: GuardMediation): GuardMediation {
  const { privateDirectory, sharedLockPath } = request;
  if (mediation.writeRoots.length === 0) return mediation;
  nameTouchedRoots(privateDirectory, { roots: mediation.writeRoots, names: mediation.listedNames });
  const descriptor = firstGuardFile(request);
  const touchLog = { descriptor, fileBytesMax: contentMax.fileBytes, keptBytesMax: contentMax.taskBytes };
  return { ...mediation, touchLog, ...(sharedLockPath === undefined ? {} : { sharedLock: descriptor + 1 }) };
}

/** The kernel's word, not bubblewrap's: its report would come before it lets the guard's process go on, and hold it up. */
async function findGuard(child: HostChild): Promise<number | undefined> {
  const pid = await child.pid;
  return pid === undefined ? undefined : firstOfNamespace(pid);
}

async function guardOf(request: LaunchRequest, child: HostChild): Promise<number> {
  const guardPid = await findGuard(child);
  if (guardPid !== undefined) return guardPid;
  throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-failed", { values: { sandbox: request.sandboxId, detail: "no pid" } });
}

async function rulesAfterGreeting(
  request: LaunchRequest,
  session: GuardSession,
  child: HostChild,
  makeRules: (guardPid: number) => Promise<readonly LandlockRule[]>,
): Promise<readonly LandlockRule[]> {
  await session.greeted;
  return makeRules(await guardOf(request, child));
}

/** How long the launcher may take for the view. */
const viewMs = 10_000;

/** The rules count on the whole view. @throws SANDBOX_CLOSED for a reason that is found out elsewhere */
async function awaitView({ furnished }: Started): Promise<void> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), viewMs);
  const isWhole = await Promise.race([furnished, late.promise]);
  clearTimeout(timer);
  if (!isWhole) throw new GloveboxError("SANDBOX_CLOSED", "guard.closed");
}

/** How long what was started in vain may take to find its channel closed. */
const leaveMs = 5000;

/**
 * Without a channel the guard ends as soon as it is there, and bubblewrap with it. Killed on its way up, bubblewrap would leave its first child
 * behind, which waits for a word of it for ever and holds our end of its streams.
 */
async function endStarted(child: HostChild, session: GuardSession): Promise<void> {
  child.layout?.end();
  await session.close();
  if (await settles(child.ended, leaveMs)) return;
  child.kill();
  await child.ended;
}

/**
 * @throws WALL_UNAVAILABLE or SANDBOX_OPEN_FAILED; then nothing is left of what was started
 */
export async function launch(request: LaunchRequest): Promise<Launched> {
  const started = await start(request);
  const { child, stderr } = started;
  const network =
    child.captive === undefined || request.egress === undefined ? undefined : new CaptiveNetwork(child.captive, request.egress);
  const session = openGuardSession(child.control, { allowTestBuild: request.isTest });
  const stop = (): void => session.fail(new GloveboxError("SANDBOX_CLOSED", "guard.closed"));
  try {
    if (request.begin !== undefined) child.layout?.write(request.begin());
    const { input, rules: known, mediation } = request.furnish();
    request.signal.throwIfAborted();
    child.layout?.end(input);
    const mediated = guardMediation(request, mediation);
    request.signal.addEventListener("abort", stop, { once: true });
    if (request.begin !== undefined) await awaitView(started);
    const rules = typeof known === "function" ? await rulesAfterGreeting(request, session, child, known) : known;
    const configured = session.configure(guardRules(request, rules), mediated);
    const found = findGuard(child); // while the guard comes up
    const ready = await configured;
    if (request.isTest && !ready.isTestBuild)
      throw new GloveboxError("WALL_UNAVAILABLE", "wall.test-layers", { values: { path: request.guardPath } });
    const guardPid = (await found) ?? (await guardOf(request, child));
    confirmWalls(guardPid, request);
    if (network !== undefined) network.guardPid = guardPid;
    const captive = network === undefined ? undefined : { network, form: await network.attached };
    request.signal.throwIfAborted();
    return { child, session, ready, guardPid, captive };
  } catch (error) {
    await network?.close();
    await endStarted(child, session);
    if (request.signal.aborted)
      throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-aborted", { values: { sandbox: request.sandboxId }, cause: error });
    const isSilent = error instanceof GloveboxError && error.code === "SANDBOX_CLOSED";
    throw (isSilent ? launchError({ ...request, stderr: stderr(), startError: child.startError() }) : undefined) ?? error;
  } finally {
    request.signal.removeEventListener("abort", stop);
  }
}
