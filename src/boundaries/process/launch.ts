// Starts bubblewrap with the guard inside, furnishes the view meanwhile, hands the guard its rules, and confirms from the host that the walls
// stand before anything may run.
import { closeSync } from "node:fs";
import { Duplex } from "node:stream";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import {
  contentMax,
  type GuardMediation,
  type GuardReady,
  type GuardRule,
  type GuardSession,
  nameTouchedRoots,
  openGuardSession,
  openTouchLog,
  rightsFor,
} from "../../guard/guard.ts";
import { settles } from "../../kit/settles.ts";
import { spawnProcess } from "../../kit/spawn.ts";
import { isViewWhole, launchError, withoutWhole } from "./failures.ts";
import { firstOfNamespace, networkOf, processStatus } from "./host-processes.ts";
import type { LandlockRule } from "./landlock-plan.ts";
import type { TestLayers } from "./layers.ts";
import { openSharedLock } from "./shared-lock.ts";
import { Captive, type CaptiveForm } from "./captive.ts";

type HostChild = ReturnType<typeof spawnProcess>;

export interface LaunchRequest {
  readonly sandboxId: string;
  /** Absolute program and its arguments: the launcher, or bubblewrap without one. */
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads from its standard input first; undefined: nothing, and it furnishes nothing. */
  readonly input: string | undefined;
  readonly bubblewrapPath: string;
  readonly guardPath: string;
  /** Given: the program before bubblewrap makes a captive network, and its channel is the descriptor before those of the guard. */
  readonly egress: EgressEndpoint | undefined;
  /** Called once, while the walls come up: whatever it throws, nothing is left of them. */
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
  readonly child: HostChild;
  /** Resolves when bubblewrap (the launcher's later self) has ended. */
  readonly ended: Promise<void>;
  readonly session: GuardSession;
  readonly ready: GuardReady;
  /** The guard, as the host numbers it. */
  readonly guardPid: number;
  /** Undefined when nothing may leave. */
  readonly captive: { readonly network: Captive; readonly form: CaptiveForm } | undefined;
}

const controlDescriptor = 3;
/** Of the captive network's program, where there is one. */
export const captiveDescriptor = 4;

/** Of the guard's files: behind the channels. */
function firstGuardFile({ egress }: LaunchRequest): number {
  return egress === undefined ? controlDescriptor + 1 : captiveDescriptor + 1;
}

const stderrMaximum = 16 * 1024;

function streamAt(child: HostChild, index: number): Duplex {
  const stream: unknown = child.stdio[index];
  if (stream instanceof Duplex) return stream;
  throw new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: "-", detail: `descriptor ${index}` } });
}

/** @param heard told all so far whenever there is more */
function collectStderr(child: HostChild, heard: (text: string) => void): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
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

/** INVARIANT I-02: what the guard claims is compared with what the host sees of its first process. */
function confirmWalls(guardPid: number, { layers, boundProcessors }: LaunchRequest): void {
  const status = processStatus(guardPid);
  const confirm = (wall: string, found: string | undefined, isGood: (value: string) => boolean): void => {
    if (found !== undefined && isGood(found)) return;
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.unverified", { values: { wall, found: found ?? "nothing" } });
  };
  confirm("pid namespace", status.get("NSpid"), (value) => /\s1$/u.test(value));
  if (layers.outer) confirm("capabilities", status.get("CapEff"), (value) => /^0+$/u.test(value));
  if (layers.outer) confirm("capability bounds", status.get("CapBnd"), (value) => /^0+$/u.test(value));
  if (boundProcessors !== undefined) {
    confirm("processors", status.get("Cpus_allowed_list"), (value) => countProcessors(value) <= boundProcessors);
  }
  if (layers.outer) confirm("net namespace", networkOf(guardPid), (value) => value !== networkOf("self"));
  if (layers.inner) confirm("no_new_privs", status.get("NoNewPrivs"), (value) => value === "1");
}

/** `0-1,4` -> 3 */
function countProcessors(list: string): number {
  const ranges = list.split(",").map((range) => range.split("-").map(Number));
  return ranges.reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
}

interface Started {
  readonly child: HostChild;
  readonly ended: Promise<void>;
  /** Resolves when the view is whole, or never will be, whatever the reason. */
  readonly furnished: Promise<boolean>;
  readonly stderr: () => string;
  /** Why there is no process; undefined when there is one. */
  readonly startError: () => string | undefined;
}

/** The list of changes and, where there is one, the lock that sandboxes share; nothing when nothing can be changed. */
function openGuardFiles({ mayWrite, privateDirectory, sharedLockPath }: LaunchRequest): readonly number[] {
  if (!mayWrite) return [];
  const touchLog = openTouchLog(privateDirectory);
  return sharedLockPath === undefined ? [touchLog] : [touchLog, openSharedLock(sharedLockPath)];
}

function start(request: LaunchRequest): Started {
  const { promise, resolve } = Promise.withResolvers<void>();
  const view = Promise.withResolvers<boolean>();
  const guardFiles = openGuardFiles(request);
  try {
    const child = spawnProcess(request.program, request.args, {
      environment: {},
      cwd: "/",
      stdio: [
        request.input === undefined ? "ignore" : "pipe",
        "ignore",
        "pipe",
        "pipe",
        ...(request.egress === undefined ? [] : ["ipc" as const]),
        ...guardFiles,
      ],
      // A terminal's ctrl-c is for the command: the broker passes it on, the wall stays.
      ownGroup: true,
    });
    let startError: string | undefined;
    child.on("error", (error) => {
      startError = systemErrorCode(error);
      resolve();
    });
    child.on("close", () => resolve());
    void promise.then(() => view.resolve(false));
    child.stdin?.on("error", () => {}); // it ended before it read: its exit says why
    if (request.input !== undefined) child.stdin?.write(request.input);
    const stderr = collectStderr(child, (text) => {
      const isWhole = isViewWhole(text);
      if (isWhole !== undefined) view.resolve(isWhole);
    });
    return { child, ended: promise, furnished: view.promise, stderr, startError: () => startError };
  } finally {
    for (const descriptor of guardFiles) closeSync(descriptor);
  }
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
function guardOf(request: LaunchRequest, child: HostChild): number {
  const guardPid = child.pid === undefined ? undefined : firstOfNamespace(child.pid);
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
  return makeRules(guardOf(request, child));
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
async function endStarted({ child, ended }: Started, session: GuardSession): Promise<void> {
  child.stdin?.destroy();
  await session.close();
  if (await settles(ended, leaveMs)) return;
  child.kill("SIGKILL");
  await ended;
}

/**
 * @throws WALL_UNAVAILABLE or SANDBOX_OPEN_FAILED; then nothing is left of what was started
 */
export async function launch(request: LaunchRequest): Promise<Launched> {
  const started = start(request);
  const { child, ended, stderr, startError } = started;
  const network = request.egress === undefined ? undefined : new Captive(child, request.egress);
  const session = openGuardSession(streamAt(child, controlDescriptor), { allowTestBuild: request.isTest });
  const stop = (): void => session.fail(new GloveboxError("SANDBOX_CLOSED", "guard.closed"));
  try {
    const { input, rules: known, mediation } = request.furnish();
    request.signal.throwIfAborted();
    child.stdin?.end(input);
    request.signal.addEventListener("abort", stop, { once: true });
    if (request.input !== undefined) await awaitView(started);
    const rules = typeof known === "function" ? await rulesAfterGreeting(request, session, child, known) : known;
    const ready = await session.configure(guardRules(request, rules), guardMediation(request, mediation));
    if (request.isTest && !ready.isTestBuild)
      throw new GloveboxError("WALL_UNAVAILABLE", "wall.test-layers", { values: { path: request.guardPath } });
    const guardPid = guardOf(request, child);
    confirmWalls(guardPid, request);
    if (network !== undefined) network.guardPid = guardPid;
    const captive = network === undefined ? undefined : { network, form: await network.attached };
    request.signal.throwIfAborted();
    return { child, ended, session, ready, guardPid, captive };
  } catch (error) {
    await network?.close();
    await endStarted(started, session);
    if (request.signal.aborted)
      throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-aborted", { values: { sandbox: request.sandboxId }, cause: error });
    const isSilent = error instanceof GloveboxError && error.code === "SANDBOX_CLOSED";
    throw (isSilent ? launchError({ ...request, stderr: stderr(), startError: startError() }) : undefined) ?? error;
  } finally {
    request.signal.removeEventListener("abort", stop);
  }
}
