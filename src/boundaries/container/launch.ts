// Starts a runtime with the guard as process 1 of its container, hands the guard its rules, and confirms from the host that the walls stand
// before anything may run. INVARIANT I-02
import { Duplex } from "node:stream";
import { readlinkSync } from "node:fs";
import { captiveError, type CaptiveForm, CaptiveNetwork } from "../../captive/captive.ts";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type GuardReady, type GuardRule, type GuardSession, openGuardSession } from "../../guard/guard.ts";
import { settles } from "../../kit/settles.ts";
import { spawnProcess } from "../../kit/spawn.ts";
import { firstOfNamespace, launcherError, markerOf, networkOf, processStatus, treeOf } from "../../linux/linux.ts";
import { leftOutLayers, type Platform, sentryOf } from "./gvisor.ts";

type HostChild = ReturnType<typeof spawnProcess>;

export interface LaunchRequest {
  readonly sandboxId: string;
  readonly launcherPath: string;
  /** What the launcher reads: it becomes the runtime. */
  readonly layout: string;
  /** Given: the launcher becomes what makes a captive network, and that starts the runtime. */
  readonly egress: EgressEndpoint | undefined;
  /** For words about failures. */
  readonly runtimePath: string;
  /** As whom the host is to see what runs in it. */
  readonly seen: { readonly uid: number; readonly gid: number };
  /** Of gVisor; undefined where Linux itself is the kernel of the container. */
  readonly platform: Platform | undefined;
  readonly rules: readonly GuardRule[];
  /** For words about failures. */
  readonly guardPath: string;
  /** A test build of the guard, and nothing else. */
  readonly isTest: boolean;
  readonly signal: AbortSignal;
}

export interface Launched {
  readonly child: HostChild;
  /** Resolves when the launcher's later self is no more, the runtime or what makes its network; the container may still be. */
  readonly left: Promise<void>;
  /** Resolves when whatever held its streams has ended, the guard too. */
  readonly ended: Promise<void>;
  readonly session: GuardSession;
  readonly ready: GuardReady;
  /** The guard, as the host numbers it; under gVisor its kernel, in which the guard is process 1. */
  readonly guardPid: number;
  /** What the launcher became. */
  readonly runtimePid: number;
  /** Undefined when nothing may leave. */
  readonly captive: { readonly network: CaptiveNetwork; readonly form: CaptiveForm } | undefined;
}

const channelDescriptor = 3;
/** Of the captive network's program, where there is one. */
export const captiveDescriptor = 4;
const stderrMaximum = 16 * 1024;
/** How long what was started in vain may take to find its channel closed. */
const leaveMs = 5000;

interface Started {
  readonly child: HostChild;
  readonly left: Promise<void>;
  readonly ended: Promise<void>;
  readonly stderr: () => string;
  /** Why there is no process; undefined when there is one. */
  readonly startError: () => string | undefined;
}

function start({ launcherPath, sandboxId, layout, egress }: LaunchRequest): Started {
  const { promise, resolve } = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const child = spawnProcess(launcherPath, [markerOf(sandboxId)], {
    environment: {},
    cwd: "/",
    // No stream is the machine's /dev/null: as root crun gives its streams to the container's user.
    stdio: ["pipe", "pipe", "pipe", "pipe", ...(egress === undefined ? [] : ["ipc" as const])],
    // A terminal's ctrl-c is for the command: the broker passes it on, the wall stays.
    ownGroup: true,
  });
  let startError: string | undefined;
  child.on("error", (error) => {
    startError = systemErrorCode(error);
    resolve();
  });
  child.on("exit", () => left.resolve());
  child.on("close", () => resolve());
  child.stdout?.resume(); // nobody speaks there
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    if (stderr.length < stderrMaximum) stderr += chunk.toString("utf8");
  });
  child.stdin?.on("error", () => {}); // it ended before it read: its exit says why
  child.stdin?.end(layout);
  return { child, left: left.promise, ended: promise, stderr: () => stderr, startError: () => startError };
}

function channelOf({ child }: Started): Duplex {
  const stream: unknown = child.stdio[channelDescriptor];
  if (stream instanceof Duplex) return stream;
  throw new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: "-", detail: `descriptor ${channelDescriptor}` } });
}

const capabilitySets = ["CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"] as const;

function userNamespaceOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/user`);
  } catch {
    return undefined; // it ended: there is nothing to confirm
  }
}

/** What the document asks for is compared with what the host sees of the guard. */
function confirmWalls(guardPid: number, { seen, platform, egress }: LaunchRequest, first: number): void {
  const status = processStatus(guardPid);
  const confirm = (wall: string, found: string | undefined, isGood: (value: string) => boolean): void => {
    if (found !== undefined && isGood(found)) return;
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.unverified", { values: { wall, found: found ?? "nothing" } });
  };
  const isNone = (value: string): boolean => /^0+$/u.test(value);
  // Under ptrace gVisor's kernel stays in ours: it traces processes that it starts there.
  if (platform !== "ptrace") confirm("pid namespace", status.get("NSpid"), (value) => /\s1$/u.test(value));
  // gVisor's kernel keeps some, in a user namespace of its own that maps nobody else, behind a filter that refuses every call that needs them.
  for (const name of platform === undefined ? capabilitySets : []) confirm(`capabilities ${name}`, status.get(name), isNone);
  confirm("uid", status.get("Uid"), (value) => value.split(/\s+/u).every((uid) => uid === String(seen.uid)));
  confirm("gid", status.get("Gid"), (value) => value.split(/\s+/u).every((gid) => gid === String(seen.gid)));
  confirm("no_new_privs", status.get("NoNewPrivs"), (value) => value === "1");
  confirm("seccomp", status.get("Seccomp"), (value) => value === "2");
  confirm("net namespace", networkOf(guardPid), (value) => value !== networkOf("self"));
  // What watches the captive network is in it; a runtime that made one of its own would go around it. INVARIANT I-06
  if (egress !== undefined) confirm("captive network", networkOf(guardPid), (value) => value === networkOf(first));
  confirm("user namespace", userNamespaceOf(guardPid), (value) => value !== userNamespaceOf("self"));
}

/** What the runtime itself says on its way, in few words. */
function runtimeError({ sandboxId, runtimePath }: LaunchRequest, { stderr, startError }: Started): GloveboxError | undefined {
  const values = { path: runtimePath, sandbox: sandboxId };
  if (startError() !== undefined)
    return new GloveboxError("WALL_UNAVAILABLE", "container.start-failed", { values: { ...values, detail: startError() ?? "" } });
  const text = stderr().trim();
  if (text === "") return undefined;
  const detail = text.split("\n").slice(-2).join("; ").slice(0, 500);
  return (
    captiveError(text) ??
    launcherError(text) ??
    new GloveboxError("WALL_UNAVAILABLE", "container.start-failed", { values: { ...values, detail } })
  );
}

/** What makes the network is nobody of importance by now, and cannot end a runtime that is root: each is ended for itself. */
export function killStarted({ pid }: HostChild): void {
  for (const one of pid === undefined ? [] : treeOf(pid)) {
    try {
      process.kill(one.pid, "SIGKILL");
    } catch (error) {
      if (systemErrorCode(error) !== "ESRCH") throw error;
    }
  }
}

/** Without a channel the guard ends as soon as it is there, and the runtime after it. */
async function endStarted({ child, ended }: Started, session: GuardSession): Promise<void> {
  await session.close();
  if (await settles(ended, leaveMs)) return;
  killStarted(child);
  await ended;
}

/** @throws WALL_UNAVAILABLE or SANDBOX_OPEN_FAILED; then nothing is left of what was started */
export async function launchContainer(request: LaunchRequest): Promise<Launched> {
  const started = start(request);
  const { child, left, ended } = started;
  const session = openGuardSession(channelOf(started), {
    allowTestBuild: request.isTest,
    ...(request.platform === undefined ? {} : { leftOut: leftOutLayers }),
  });
  const network = request.egress === undefined ? undefined : new CaptiveNetwork(child, request.egress);
  const stop = (): void => session.fail(new GloveboxError("SANDBOX_CLOSED", "guard.closed"));
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    const ready = await session.configure(request.rules);
    if (request.isTest && !ready.isTestBuild)
      throw new GloveboxError("WALL_UNAVAILABLE", "wall.test-layers", { values: { path: request.guardPath } });
    const firstOf = request.platform === undefined ? firstOfNamespace : sentryOf;
    const guardPid = child.pid === undefined ? undefined : firstOf(child.pid);
    if (child.pid === undefined || guardPid === undefined)
      throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-failed", { values: { sandbox: request.sandboxId, detail: "no pid" } });
    if (network !== undefined) network.guardPid = guardPid;
    const captive = network === undefined ? undefined : { network, form: await network.attached };
    confirmWalls(guardPid, request, child.pid);
    request.signal.throwIfAborted();
    return { child, left, ended, session, ready, guardPid, runtimePid: child.pid, captive };
  } catch (error) {
    await network?.close();
    await endStarted(started, session);
    if (request.signal.aborted)
      throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-aborted", { values: { sandbox: request.sandboxId }, cause: error });
    const isSilent = error instanceof GloveboxError && error.code === "SANDBOX_CLOSED";
    throw (isSilent ? runtimeError(request, started) : undefined) ?? error;
  } finally {
    request.signal.removeEventListener("abort", stop);
  }
}
