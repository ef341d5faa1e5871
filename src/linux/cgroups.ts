// The control groups of one sandbox: version 2 or 1, where the machine lets us make them. The kernel holds memory and processors there.
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { Limits } from "../contracts/limits.ts";
import { removeDirectory } from "../kit/remove-tree.ts";
import { type CgroupPlace, type Controller, cgroupPlaces, groupAndAbove } from "./cgroup-layout.ts";

export interface Cgroup {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly directory: string;
  /** Whoever writes `0` there becomes a member; whose pid is written, too. */
  readonly joinFile: string;
}

const memoryV1 = { limit: "memory.limit_in_bytes", swap: "memory.memsw.limit_in_bytes" };
/** As the kernel has it for both versions. */
const periodUs = 100_000;

function text(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // not there, or not ours to read: the group counts as one that does not have it
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false; // any reason makes it unusable, and the limit is held in another way
  }
}

const enabledIn = (directory: string): readonly string[] => text(path.join(directory, "cgroup.subtree_control"))?.trim().split(" ") ?? [];

/** A group without children enables nothing for them, so that the nearest usable one mostly lies above ours. */
function unifiedParent(place: CgroupPlace): { readonly parent: string; readonly controllers: readonly Controller[] } | undefined {
  const usable = groupAndAbove(place)
    .filter((directory) => isWritable(directory) && isWritable(path.join(directory, "cgroup.procs")))
    .map((directory) => ({ directory, enabled: enabledIn(directory) }));
  for (const wanted of [["memory", "cpu", "pids"], ["memory", "cpu"], ["memory", "pids"], ["memory"], ["cpu"], ["pids"]] as const) {
    const parent = usable.find(({ enabled }) => wanted.every((name) => enabled.includes(name)))?.directory;
    // Every group of version 2 counts processor time.
    if (parent !== undefined) return { parent, controllers: [...wanted, "cpuacct"] };
  }
  return undefined;
}

/** Of a sandbox, in every tree. */
export const groupName = (sandboxId: string): string => `glovebox-${sandboxId}`;

/** Of what is stopped for a while: beside the sandbox's own, which a container's runtime may have made for all of it. */
const pausedName = (sandboxId: string): string => `${groupName(sandboxId)}-paused`;

function ownPlaces(): readonly CgroupPlace[] {
  return cgroupPlaces({ mounts: text("/proc/self/mountinfo") ?? "", memberships: text("/proc/self/cgroup") ?? "" });
}

/** True for what `findCgroups` could have named on this machine, whatever a journal says. */
export function isCgroupOf(sandboxId: string, directory: string): boolean {
  if (![groupName(sandboxId), pausedName(sandboxId)].includes(path.basename(directory)) || path.normalize(directory) !== directory)
    return false;
  return ownPlaces().some(({ mountPoint }) => directory.startsWith(`${mountPoint}/`));
}

/** Where a container runtime that is told nothing makes groups of the name, in every tree: some of them may be ours. */
export function groupsOfRuntime(sandboxId: string): readonly string[] {
  return [...new Set(ownPlaces().map(({ directory }) => path.join(directory, groupName(sandboxId))))];
}

/** What could be made for a sandbox on this machine; makes nothing. */
export function findCgroups(sandboxId: string): readonly Cgroup[] {
  const places = ownPlaces().filter(({ version, controllers }) => version === 2 || controllers.length > 0);
  const name = groupName(sandboxId);
  const found = places.flatMap((place): readonly Cgroup[] => {
    const above =
      place.version === 2 ? unifiedParent(place) : isWritable(place.directory) ? { parent: place.directory, ...place } : undefined;
    if (above === undefined) return [];
    const directory = path.join(above.parent, name);
    const joinFile = path.join(directory, place.version === 2 ? "cgroup.procs" : "tasks");
    return [{ version: place.version, controllers: above.controllers, directory, joinFile }];
  });
  // A mixed layout has a controller in one tree only.
  return found.filter(({ directory }, index) => found.findIndex((other) => other.directory === directory) === index);
}

export type FreezerPlace = Pick<Cgroup, "version" | "directory">;

/** Where processes of a sandbox could be stopped; makes nothing. Undefined where there is no such place. */
export function freezerPlace(sandboxId: string, limiting: readonly Cgroup[]): FreezerPlace | undefined {
  const name = pausedName(sandboxId);
  const places = ownPlaces();
  const first = places.find(({ freezes, directory }) => freezes === true && isWritable(directory));
  if (first !== undefined) return { version: 1, directory: path.join(first.directory, name) };
  // Below the group that limits them: there they stay.
  const limited = limiting.find(({ version }) => version === 2)?.directory;
  const above = limited ?? places.find(({ version, directory }) => version === 2 && isWritable(directory))?.directory;
  return above === undefined ? undefined : { version: 2, directory: path.join(above, name) };
}

export const cgroupOf = (groups: readonly Cgroup[], controller: Controller): Cgroup | undefined =>
  groups.find(({ controllers }) => controllers.includes(controller));

function settings(
  { version, controllers }: Cgroup,
  limits: Limits,
  tasks: number,
): readonly (readonly [file: string, value: string, isNeeded: boolean])[] {
  const quota = String(Math.max(1000, Math.round(limits.cpuCores * periodUs)));
  const memory = String(limits.memoryBytes);
  const ofMemory =
    version === 2
      ? ([
          ["memory.max", memory, true],
          ["memory.swap.max", "0", false],
        ] as const)
      : ([
          [memoryV1.limit, memory, true],
          [memoryV1.swap, memory, false],
        ] as const);
  const ofCpu = version === 2 ? (["cpu.max", `${quota} ${periodUs}`, true] as const) : (["cpu.cfs_quota_us", quota, true] as const);
  return [
    ...(controllers.includes("memory") ? ofMemory : []),
    ...(controllers.includes("cpu") ? [ofCpu] : []),
    ...(controllers.includes("pids") ? [["pids.max", String(tasks), true] as const] : []),
  ];
}

function refuse({ directory }: Cgroup, error: unknown): never {
  const detail = systemErrorCode(error) ?? String(error);
  throw new GloveboxError("WALL_UNAVAILABLE", "wall.cgroup", { values: { path: directory, detail }, cause: error });
}

/** Limits nothing yet. @throws WALL_UNAVAILABLE */
export function makeCgroup(group: Cgroup): void {
  try {
    mkdirSync(group.directory);
  } catch (error) {
    refuse(group, error);
  }
}

/**
 * @param tasks how many processes and threads may be members
 * @throws WALL_UNAVAILABLE
 */
export function limitCgroup(group: Cgroup, limits: Limits, tasks: number): void {
  try {
    for (const [file, value, isNeeded] of settings(group, limits, tasks)) {
      const where = path.join(group.directory, file);
      // Without accounting of swap there is no such file, and memory alone is limited.
      if (isNeeded || isWritable(where)) writeFileSync(where, value);
    }
  } catch (error) {
    refuse(group, error);
  }
}

const isMember = ({ joinFile }: Cgroup, pid: number): boolean => text(joinFile)?.split("\n").includes(String(pid)) ?? false;

/**
 * Moves a process with one thread; what it starts afterwards is born there. One that was put there by somebody else stays as it is: to move
 * another process the kernel stops everybody for some milliseconds.
 */
export function joinCgroup(group: Cgroup, pid: number): void {
  if (isMember(group, pid)) return;
  try {
    writeFileSync(group.joinFile, String(pid));
  } catch (error) {
    refuse(group, error);
  }
}

/** What holds a group goes after it. */
export const innermostFirst = (directories: readonly string[]): readonly string[] =>
  directories.toSorted((left, right) => right.length - left.length);

/** The kernel lets a member go a moment after its end, and offers no event for that. */
export async function removeCgroup(directory: string): Promise<boolean> {
  const deadline = Date.now() + 5000;
  for (;;) {
    try {
      removeDirectory(directory);
      return true;
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === "ENOENT") return false;
      if (code !== "EBUSY" || Date.now() > deadline) throw error;
    }
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
  }
}
