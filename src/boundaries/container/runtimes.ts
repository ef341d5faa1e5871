// The container runtimes that there are words for, and how each is told to start one container. They are looked for in system directories
// only, never through the caller's PATH, which an agent may have written.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { capture } from "../../kit/spawn.ts";
import { groupName, isExecutable } from "../../linux/linux.ts";

export const runtimeNames = ["runc", "crun", "runsc"] as const;
export type RuntimeName = (typeof runtimeNames)[number];

const directories = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"] as const;

export interface Runtime {
  readonly name: RuntimeName;
  /** Absolute. */
  readonly path: string;
}

/** runsc puts a kernel of its own between a container and Linux: gvisor.ts says what follows. */
export const isGvisor = ({ name }: Pick<Runtime, "name">): boolean => name === "runsc";

export function findRuntime(name: RuntimeName): Runtime | undefined {
  const path = directories.map((directory) => `${directory}/${name}`).find(isExecutable);
  return path === undefined ? undefined : { name, path };
}

/** @throws WALL_UNAVAILABLE: there is no other runtime in its place. INVARIANT I-02 */
export function requireRuntime(name: RuntimeName): Runtime {
  const found = findRuntime(name);
  if (found !== undefined) return found;
  throw new GloveboxError("WALL_UNAVAILABLE", "container.runtime-missing", { values: { runtime: name } });
}

/** Undefined when the program does not answer. */
export async function runtimeVersion({ path }: Runtime): Promise<string | undefined> {
  try {
    const { code, stdout } = await capture(path, ["--version"]);
    return code === 0 ? /version (?:release-)?(\d+(?:[.~]\d+)*)/u.exec(stdout)?.[1] : undefined;
  } catch {
    return undefined; // a program that cannot be started has no version; the caller refuses
  }
}

/** Its name to the runtime, and of the control groups that runc makes: those that we have made are its own then. */
export const containerName = groupName;

export interface RunPlaces {
  /** Where the runtime keeps what it knows of the container. */
  readonly state: string;
  /** Where config.json is. */
  readonly bundle: string;
  /** Of gVisor alone. */
  readonly flags: readonly string[];
}

/**
 * The runtime stays until the container has ended. The channel of the guard is descriptor 3, or for runsc the standard input. crun makes no control groups: it knows no
 * mixed layout of them, and ours hold the limits.
 */
export function runCommand({ name, path }: Runtime, { state, bundle, flags }: RunPlaces, sandboxId: string): readonly string[] {
  if (name === "runsc") return [path, ...flags, "--root", state, "run", "--bundle", bundle, containerName(sandboxId)];
  const own = name === "crun" ? ["--cgroup-manager=disabled"] : [];
  return [path, ...own, "--root", state, "run", "--preserve-fds", "1", "--bundle", bundle, containerName(sandboxId)];
}

/**
 * How root's runtime gets its container into our control groups: runc takes ours for its own, because of their name, and puts nobody else there;
 * crun starts as a member of them, and stays one; so does runsc, which has many threads and is what the container costs.
 */
export const startsAsMember = ({ name }: Runtime): boolean => name !== "runc";

/** Places of the host that it must not see while it starts one. */
export const hiddenFrom = ({ name }: Runtime): readonly string[] => (name === "crun" ? ["/sys/fs/cgroup"] : []);
