// What differs where gVisor is the runtime. Its sentry is the kernel of the container and a process of the host: the guard and all commands are tasks of
// the sentry, and the host sees the sentry in their place. Chosen by the plan for runsc, and by nothing else. INVARIANT I-02
import { readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { Limits } from "../../contracts/limits.ts";
import type { LayerName } from "../../guard/guard.ts";
import { capture } from "../../kit/spawn.ts";
import { commandLine, isExecutable, type LimitPlan, type MachineFacts, planLimits, processStatus, treeOf } from "../../linux/linux.ts";
import { homeInside, outputInside, temporaryInside } from "./inside.ts";
import type { OciDocument } from "./oci-document.ts";
import type { Runtime } from "./runtimes.ts";

/** Inner walls that its kernel does not know. The guard is told so, and serves nobody in this form where the kernel has Landlock. */
export const leftOutLayers: readonly LayerName[] = ["landlock", "mediation"];
export const guardForm = "--kernel=gvisor";

/** Of util-linux. */
const taskset = "/usr/bin/taskset";

/** For a program that only lists its own words; on a busy machine it has been seen to need ten seconds. */
const answerMs = 60_000;

/** How gVisor gets at the calls of a program; the first that the program knows. */
const platforms = ["systrap", "ptrace"] as const;
export type Platform = (typeof platforms)[number];

/** By what the program lists of itself; whether it works is found out by starting a container. @throws WALL_UNAVAILABLE */
export async function platformOf({ path }: Runtime): Promise<Platform> {
  const { stdout, stderr } = await capture(path, ["flags"], { timeoutMs: answerMs });
  const listed = /^ *-platform .*\n.*which platform to use: *(.*)$/mu.exec(stdout + stderr)?.[1]?.split(/[^a-z]+/u) ?? [];
  const found = platforms.find((name) => listed.includes(name));
  if (found !== undefined) return found;
  throw new GloveboxError("WALL_UNAVAILABLE", "container.no-platform", { values: { path } });
}

/** No control groups of its own, no network but a loopback, and our list of calls for what runs inside, which it ignores unless told. */
export function gvisorFlags(platform: Platform, uid: number): readonly string[] {
  const flags = [`--platform=${platform}`, "--network=none", "--ignore-cgroups", "--oci-seccomp"];
  return uid === 0 ? flags : [...flags, "--rootless"];
}

const byItsKernel: ReadonlyMap<string, string> = new Map([
  ["processes", "RLIMIT_NPROC by gVisor's kernel"],
  ["openFiles", "RLIMIT_NOFILE by gVisor's kernel"],
]);

/** The tasks of a container are no processes of the host: control groups hold what they cost, but cannot count them. */
export function planGvisorLimits(limits: Limits, facts: MachineFacts): LimitPlan {
  const without = facts.cgroups.map((group) => ({ ...group, controllers: group.controllers.filter((name) => name !== "pids") }));
  const plan = planLimits(limits, { ...facts, cgroups: without.filter(({ controllers }) => controllers.length > 0) });
  const mechanisms = plan.mechanisms.map((one) => ({ ...one, mechanism: byItsKernel.get(one.limit) ?? one.mechanism }));
  return { ...plan, mechanisms };
}

const listOf = (text: string): readonly number[] =>
  text.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });

/** Words before the command: the guard's own call would bind what gVisor's kernel takes for processors. */
export function processorsOfGvisor({ boundProcessors }: LimitPlan): readonly string[] {
  if (boundProcessors === undefined) return [];
  const allowed = listOf(processStatus("self").get("Cpus_allowed_list") ?? "");
  return [taskset, "--cpu-list", allowed.slice(0, boundProcessors).join(",")];
}

/** What a sandbox asks for that is not built under gVisor, and what it lacks here. @throws WALL_UNAVAILABLE */
export function refuseUnderGvisor({ egress }: SandboxSpec): void {
  if (egress !== undefined) throw new GloveboxError("WALL_UNAVAILABLE", "container.gvisor-network");
  if (!isExecutable(taskset)) throw new GloveboxError("WALL_UNAVAILABLE", "container.program-missing", { values: { path: taskset } });
}

/** For the record and the answer sheet. */
export const gvisorDetail = (platform: Platform): string =>
  `gVisor, ${platform}: a kernel of its own, in place of Landlock and the mediator; user, mount, ${platform === "ptrace" ? "" : "pid, "}ipc, uts and net namespaces around it`;

/** Started by an ordinary user the runtime is root of a user namespace of its own by the time it reads the document: there his id is 0. */
export function asGvisorReads(document: OciDocument, uid: number): OciDocument {
  if (uid === 0) return document;
  const himself = [{ containerID: 0, hostID: 0, size: 1 }] as const;
  return { ...document, linux: { ...document.linux, uidMappings: himself, gidMappings: himself } };
}

/** What its kernel is to know as mounts of their own: whatever lies below the root is read-only with the root. */
export const mountedPlaces = (workspace: { readonly path: string; readonly isWritable: boolean }) =>
  [
    { name: "tmp", path: temporaryInside, isWritable: true },
    { name: "home", path: homeInside, isWritable: true },
    { name: "output", path: outputInside, isWritable: true },
    { name: "workspace", ...workspace },
  ] as const;

/** Of what the runtime started. Looked for before anything of the container's own runs. */
export const sentryOf = (runtimePid: number): number | undefined =>
  treeOf(runtimePid).find(({ pid }) => commandLine(pid)[0] === "runsc-sandbox")?.pid;

function descriptorsIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // fails closed because without a known file the memory counts as not told
  }
}

function isMemory(descriptor: string): boolean {
  try {
    return /^\/memfd:runsc-memory\b/u.test(readlinkSync(descriptor));
  } catch {
    return false; // it was closed between two looks: that one never is
  }
}

/** Where the sentry keeps the memory of all that runs in it. Undefined: it is kept elsewhere than we know. */
export function memoryFileOf(sentryPid: number): string | undefined {
  const directory = `/proc/${sentryPid}/fd`;
  const found = descriptorsIn(directory).find((name) => isMemory(path.join(directory, name)));
  return found === undefined ? undefined : path.join(directory, found);
}

/** Where no control group counts it, that file is all that tells how much memory is used. @throws WALL_UNAVAILABLE */
export function requireCountedMemory(sentryPid: number, { cgroups }: LimitPlan): void {
  if (cgroups.some(({ controllers }) => controllers.includes("memory")) || memoryFileOf(sentryPid) !== undefined) return;
  throw new GloveboxError("WALL_UNAVAILABLE", "container.gvisor-memory");
}

/** nobody, whom root's sentry becomes in a user namespace of its own. */
export const sentryUid = 65_534;
