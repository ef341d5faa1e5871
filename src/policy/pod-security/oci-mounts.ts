// What an OCI runtime spec takes from the host: mounts, namespaces, devices, programs that run outside.
import path from "node:path";
import type { Offence } from "./controls.ts";
import { harmlessTypes, ociControls, ownNamespaces, safeDevices } from "./oci-controls.ts";
import type { Cursor } from "./spec-cursor.ts";

/** What the maker of a spec put into it knowingly. A file that somebody hands in has none of it. */
export interface OwnParts {
  /** Bind mounts by their source, as written. */
  readonly binds: readonly { readonly source: string; readonly isWritable: boolean }[];
  /** Paths of namespaces made for this container. */
  readonly namespaces: readonly string[];
  /** The runtime is started in a network that was made for this container, and makes none. */
  readonly isNetworkGiven: boolean;
  /** Uid 0 of a user namespace of its own, which is an ordinary user outside. */
  readonly isRootInside: boolean;
}

export const noParts: OwnParts = { binds: [], namespaces: [], isNetworkGiven: false, isRootInside: false };

/** Whether devices are closed to the container by the kernel: in a user namespace nobody makes one, and no file system that was mounted there has any. */
export function hasOwnUsers(linux: Cursor): boolean {
  const users = linux
    .field("namespaces")
    .items()
    .filter((entry) => entry.field("type").text() === "user");
  return users.length > 0 && users.every((entry) => entry.field("path").value === undefined);
}

const engineSocket = /(?:^|\/)(?:docker|containerd|crio|podman|cri-dockerd|dockershim|buildkitd)\.sock$/u;
/** Nobody's own parts: each shows the whole machine, or the sockets of its engines. */
const wholeMachine: ReadonlySet<string> = new Set(["/", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/var", "/var/run"]);

function isOwnBind(mount: Cursor, options: ReadonlySet<string>, { binds }: OwnParts): boolean {
  const source = mount.field("source").text() ?? "";
  const place = path.posix.resolve("/", source);
  if (engineSocket.test(place) || wholeMachine.has(place)) return false;
  const own = binds.find((bind) => bind.source === source);
  return own !== undefined && (own.isWritable || options.has("ro"));
}

/** The same place, empty. */
const emptied = (mount: Cursor): Offence["fixes"] => [
  {
    kind: "set",
    path: mount.path,
    value: { destination: mount.field("destination").value ?? "/mnt", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev"] },
  },
];

const readOnly = (mount: Cursor, options: ReadonlySet<string>): Offence["fixes"] => [
  { kind: "set", path: [...mount.path, "options"], value: [...[...options].filter((option) => option !== "rw"), "ro"] },
];

/** What the kernel shows of itself may be mounted in one place only, where it is masked. */
const ownPlaces: ReadonlyMap<string, string> = new Map([
  ["proc", "/proc"],
  ["sysfs", "/sys"],
]);

function* judgeMount(mount: Cursor, parts: OwnParts): Generator<Offence> {
  const type = mount.field("type");
  const kind = type.text() ?? "";
  const options = new Set(
    mount
      .field("options")
      .items()
      .map((option) => option.text() ?? ""),
  );
  // A runtime goes by the option, whatever the type says.
  const isBind = kind === "bind" || options.has("bind") || options.has("rbind");
  if ((options.has("shared") || options.has("rshared")) && !isBind) {
    const rest = [...options].filter((option) => !option.endsWith("shared"));
    const { path: at, value } = mount.field("options");
    yield { control: ociControls.propagation, path: at, value, fixes: [{ kind: "set", path: at, value: rest }] };
  }
  if (isBind) {
    const { path: at, value } = mount.field("source");
    const isShared = options.has("shared") || options.has("rshared");
    if (isShared || !isOwnBind(mount, options, parts)) yield { control: ociControls.bind, path: at, value, fixes: emptied(mount) };
    return;
  }
  if (!harmlessTypes.has(kind)) {
    yield { control: ociControls.mountType, path: type.path, value: type.value, fixes: emptied(mount) };
    return;
  }
  const place = ownPlaces.get(kind);
  const destination = mount.field("destination");
  if (place !== undefined && path.posix.resolve("/", destination.text() ?? "") !== place) {
    yield { control: ociControls.procElsewhere, path: destination.path, value: destination.value, fixes: emptied(mount) };
  } else if (kind === "sysfs" && !options.has("ro")) {
    const { path: at, value } = mount.field("options");
    yield { control: ociControls.sysfs, path: at, value, fixes: readOnly(mount, options) };
  }
}

/** Restricted. */
export function* judgeCgroupMounts(root: Cursor): Generator<Offence> {
  for (const mount of root.field("mounts").items()) {
    if (!(mount.field("type").text() ?? "").startsWith("cgroup")) continue;
    const { path: at, value, items } = mount.field("options");
    const options = new Set(items().map((option) => option.text() ?? ""));
    if (!options.has("ro") && !options.has("bind") && !options.has("rbind"))
      yield { control: ociControls.cgroupMount, path: at, value, fixes: readOnly(mount, options) };
  }
}

function* judgeNamespaces(linux: Cursor, { namespaces, isNetworkGiven }: OwnParts): Generator<Offence> {
  const list = linux.field("namespaces");
  const entries = list.items();
  const types = entries.map((entry) => entry.field("type").text() ?? "");
  const missing = ownNamespaces.filter((type) => !types.includes(type) && !(isNetworkGiven && type === "network"));
  if (missing.length > 0) {
    const whole = [...entries.map(({ value }) => value), ...missing.map((type) => ({ type }))];
    yield { control: ociControls.namespaces, path: list.path, value: types, fixes: [{ kind: "set", path: list.path, value: whole }] };
  }
  for (const entry of entries) {
    const { path: at, value, text } = entry.field("path");
    if (value === undefined || namespaces.includes(text() ?? "")) continue;
    yield { control: ociControls.joined, path: at, value, fixes: [{ kind: "remove", path: at }] };
  }
  const propagation = linux.field("rootfsPropagation");
  if ((propagation.text() ?? "").endsWith("shared")) {
    const { path: at, value } = propagation;
    yield { control: ociControls.propagation, path: at, value, fixes: [{ kind: "remove", path: at }] };
  }
}

const isSafe = (device: Cursor): boolean =>
  safeDevices.has(`${device.field("major").number() ?? "*"}:${device.field("minor").number() ?? "*"}`);

/** The first rule denies all, or there is none and nothing to rule about; what is allowed after it is harmless or a terminal (major 136). */
function* judgeDevices(linux: Cursor): Generator<Offence> {
  for (const device of linux.field("devices").items()) {
    if (device.field("type").text() === "p" || isSafe(device)) continue;
    yield { control: ociControls.devices, path: device.path, value: device.value, fixes: [{ kind: "remove", path: device.path }] };
  }
  const rules = linux.at(["resources", "devices"]);
  const denyAll = { allow: false, access: "rwm" };
  const [first, ...rest] = rules.items();
  const isDenyAll =
    first?.field("allow").flag() === false &&
    first.field("access").text() === "rwm" &&
    ["type", "major", "minor"].every((name) => [undefined, "a", -1].some((any) => first.field(name).value === any));
  if (rules.value === undefined && hasOwnUsers(linux)) return;
  const isAllowed = (rule: Cursor): boolean =>
    rule.field("allow").flag() !== true || (rule.field("type").text() === "c" && (isSafe(rule) || rule.field("major").number() === 136));
  const all = first === undefined ? [] : [first, ...rest];
  if (isDenyAll && rest.every(isAllowed)) return;
  const whole = [denyAll, ...all.filter(isAllowed).map(({ value }) => value)];
  yield {
    control: ociControls.deviceRules,
    path: rules.path,
    value: rules.value,
    fixes: [{ kind: "set", path: rules.path, value: whole }],
  };
}

/** A root that leads out of the bundle, or is the machine's. There is no patch: only its author knows what it was to be. */
function* judgeRoot(root: Cursor): Generator<Offence> {
  const { path: at, value, text } = root.at(["root", "path"]);
  const place = text() ?? "";
  const isOutside = path.posix.isAbsolute(place) ? path.posix.resolve(place) === "/" : path.posix.normalize(place).startsWith("..");
  if (place === "" || isOutside) yield { control: ociControls.root, path: at, value, fixes: [] };
}

export function* judgeOciPlaces(root: Cursor, parts: OwnParts): Generator<Offence> {
  const linux = root.field("linux");
  yield* judgeRoot(root);
  const hooks = root.field("hooks");
  if (hooks.members().some(([, hook]) => hook.items().length > 0)) {
    const { path: at, value } = hooks;
    yield { control: ociControls.hooks, path: at, value, fixes: [{ kind: "remove", path: at }] };
  }
  yield* judgeNamespaces(linux, parts);
  yield* judgeDevices(linux);
  for (const mount of root.field("mounts").items()) yield* judgeMount(mount, parts);
}
