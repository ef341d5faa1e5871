// Where this process is in the trees of control groups, from what the kernel says of mounts and memberships. Pure.
import path from "node:path";

export type Controller = "memory" | "cpu" | "cpuacct" | "pids";

export interface CgroupFacts {
  /** /proc/self/mountinfo */
  readonly mounts: string;
  /** /proc/self/cgroup */
  readonly memberships: string;
}

export interface CgroupPlace {
  readonly version: 1 | 2;
  /** Of version 1, as far as we limit anything by them; version 2 names its controllers in files. */
  readonly controllers: readonly Controller[];
  readonly mountPoint: string;
  /** Of version 1: the tree that stops processes. */
  readonly freezes?: true;
  /** Our own group. */
  readonly directory: string;
}

const controllers: readonly Controller[] = ["memory", "cpu", "cpuacct", "pids"];

interface Mount {
  readonly type: string;
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
}

/** `36 35 98:0 ROOT POINT options [tags] - type source options`, proc_pid_mountinfo(5). */
function parseMount(line: string): Mount | undefined {
  const [left, right] = line.split(" - ");
  const [, , , root, point] = left?.split(" ") ?? [];
  const [type, , options] = right?.split(" ") ?? [];
  // An escaped name is none that an administrator gives a tree of control groups.
  if (root === undefined || point === undefined || type === undefined || point.includes("\\")) return undefined;
  return { type, root, point, options: options?.split(",") ?? [] };
}

/** What lies above the mounted root cannot be reached. */
function ownDirectory({ root, point }: Mount, membership: string): string | undefined {
  if (root === "/") return path.resolve(point, `.${membership}`);
  if (membership !== root && !membership.startsWith(`${root}/`)) return undefined;
  return path.resolve(point, `.${membership.slice(root.length)}`);
}

/** Each tree that is mounted and that we are a member of. */
export function cgroupPlaces({ mounts, memberships }: CgroupFacts): readonly CgroupPlace[] {
  const parsed = mounts.split("\n").flatMap((line) => parseMount(line) ?? []);
  return memberships.split("\n").flatMap((line): readonly CgroupPlace[] => {
    const [, names, ...rest] = line.split(":");
    if (names === undefined || rest.length === 0) return [];
    const found = controllers.filter((name) => names.split(",").includes(name));
    const isUnified = names === "";
    const mount = parsed.find(({ type, options }) =>
      isUnified ? type === "cgroup2" : type === "cgroup" && names.split(",").every((name) => options.includes(name)),
    );
    const directory = mount === undefined ? undefined : ownDirectory(mount, rest.join(":"));
    if (mount === undefined || directory === undefined) return [];
    return [
      {
        version: isUnified ? 2 : 1,
        controllers: found,
        mountPoint: mount.point,
        directory,
        ...(names.split(",").includes("freezer") ? { freezes: true } : {}),
      },
    ];
  });
}

/** Our group and those above it, nearest first. */
export function groupAndAbove({ directory, mountPoint }: CgroupPlace): readonly string[] {
  const found = [directory];
  for (let at = directory; at !== mountPoint && at !== "/"; at = path.dirname(at)) found.push(path.dirname(at));
  return found;
}
