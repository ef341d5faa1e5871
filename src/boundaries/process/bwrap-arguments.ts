// The command line of bubblewrap for a view: namespaces first, then mounts from the outside in, and everything of ours read-only at the end.
import { guardInside, homeInside, hostNameInside, scratchInside, temporaryInside } from "./inside.ts";
import { ancestorsOf, byDepth, isBelow } from "./paths.ts";
import { accessInView, type View } from "./view.ts";

/** Text that becomes a file inside without ever being one on the host. `descriptor` is the one bubblewrap reads it from. */
export interface DataFile {
  readonly path: string;
  readonly descriptor: number;
  /** True: bound read-only over a host file; false: a file of the sandbox's own. */
  readonly isBound: boolean;
}

export interface MountInput {
  readonly view: View;
  readonly identity: { readonly insideUid: number; readonly insideGid: number };
  readonly systemLinks: readonly { readonly path: string; readonly target: string }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly dataFiles: readonly DataFile[];
  readonly guardSource: string;
  /** It starts in a network that was made for it; otherwise it makes one with a loopback alone. */
  readonly isCaptive: boolean;
  /** Bytes of the private places. */
  /** Commands may make user namespaces of their own. */
  readonly isNesting: boolean;
  readonly sizes: { readonly scratchBytes: number; readonly sharedBytes: number };
  /** Host path -> where to bind it from. */
  readonly source: (path: string) => string;
  /** Host path -> the descriptor of what was planned, for the places that another sandbox could swap in the meantime. */
  readonly descriptorOf: (path: string) => number | undefined;
}

/** Every namespace, no capability, no way to make new user namespaces unless the policy opens one, no terminal, no survivor. */
function namespaceArguments({ identity, isCaptive, isNesting }: MountInput): string[] {
  return [
    ["user", "ipc", "pid", ...(isCaptive ? [] : ["net"]), "uts", "cgroup"].map((name) => `--unshare-${name}`),
    [...(isNesting ? [] : ["--disable-userns"]), "--uid", String(identity.insideUid), "--gid", String(identity.insideGid)],
    ["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--hostname", hostNameInside],
  ].flat();
}

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

function placeMounts({ view, source, descriptorOf }: MountInput): Mount[] {
  const bind = (option: "--bind" | "--ro-bind", path: string): Mount => {
    const descriptor = descriptorOf(path);
    // bubblewrap compares what it mounted with the descriptor, so that a link put there meanwhile is an error.
    return { path, args: descriptor === undefined ? [option, source(path), path] : [`${option}-fd`, String(descriptor), path] };
  };
  const places = view.places.map(({ path, kind, access }): Mount => {
    if (access === "write") return bind("--bind", path);
    if (access === "read") return bind("--ro-bind", path);
    // A device behind a nodev mount: every open of it is refused.
    if (kind === "file") return { path, args: ["--ro-bind", "/dev/null", path] };
    const isReopened = view.places.some((inner) => inner.access !== "hidden" && isBelow(inner.path, path));
    return { path, args: ["--perms", isReopened ? "0111" : "0000", "--tmpfs", path] };
  });
  return [...places, ...view.pins.map(({ path }) => bind("--bind", path))];
}

/** The bare directories that lead to what is shown. Made by name, because bubblewrap 0.8 makes those that a mount needs with mode 0700. */
function skeleton(view: View, paths: readonly string[]): Mount[] {
  const bare = new Set(paths.flatMap(ancestorsOf).filter((path) => ["absent", "hidden"].includes(accessInView(view, path))));
  const isMounted = (path: string): boolean => view.places.some((place) => place.path === path);
  return [...bare].filter((path) => !isMounted(path)).map((path): Mount => ({ path, args: ["--perms", "0755", "--dir", path] }));
}

/** A link where nothing of the host is shown, neither there nor below. */
function linkUnlessShown(view: View, path: string, target: string): readonly string[] {
  const isShown = accessInView(view, path) !== "absent" || view.places.some((place) => isBelow(place.path, path));
  return isShown ? [] : ["--symlink", target, path];
}

function privateMounts({ view, guardSource, sizes }: MountInput): string[] {
  return [
    ["--perms", "0755", "--size", String(sizes.scratchBytes), "--tmpfs", scratchInside],
    ["--perms", "0700", "--dir", homeInside, "--perms", "1777", "--dir", temporaryInside],
    ["--ro-bind", guardSource, guardInside],
    // A real /tmp would need Landlock rights that a project below it inherits; where there is one, TMPDIR alone leads to the private directory.
    linkUnlessShown(view, "/tmp", temporaryInside.slice(1)),
    linkUnlessShown(view, "/var/tmp", `..${temporaryInside}`),
    linkUnlessShown(view, "/var/run", "../run"),
    ["--dev", "/dev", "--perms", "1777", "--size", String(sizes.sharedBytes), "--tmpfs", "/dev/shm"],
    // Limits written to /proc/sys from outside must not be raised back from inside.
    ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
  ].flat();
}

function dataArguments(dataFiles: readonly DataFile[]): string[] {
  return dataFiles.flatMap(({ path, descriptor, isBound }) => [
    "--perms",
    "0644",
    isBound ? "--ro-bind-data" : "--file",
    String(descriptor),
    path,
  ]);
}

/** Options only: the caller adds `--` and the guard. */
export function bwrapArguments(input: MountInput): readonly string[] {
  const shown = input.view.places.filter(({ access }) => access !== "hidden").map(({ path }) => path);
  const bare = skeleton(input.view, [...shown, scratchInside, guardInside, "/var/tmp"]);
  const mounts = [...placeMounts(input), ...bare].toSorted((left, right) => byDepth(left.path, right.path));
  const masks = input.view.places.filter(({ access, kind }) => access === "hidden" && kind === "directory");
  return [
    namespaceArguments(input),
    input.systemLinks.flatMap(({ path, target }) => ["--symlink", target, path]),
    mounts.flatMap(({ args }) => args),
    privateMounts(input),
    dataArguments(input.dataFiles),
    input.links.flatMap(({ path, target }) => ["--symlink", target, path]),
    masks.flatMap(({ path }) => ["--remount-ro", path]),
    ["--remount-ro", "/", "--chdir", "/"],
  ].flat();
}
