// The document that an OCI runtime starts a container from (config.json of the runtime specification 1.0), made from nothing: what it does
// not name, the container does not have. It mounts nothing of the host; the root file system comes whole, but for the places that gVisor wants. Pure.
import { markerOf } from "../../linux/linux.ts";
import type { ContainerIdentity, IdMapping } from "./identity.ts";
import { fallbackPath, guardInside, hostNameInside, sharedInside } from "./inside.ts";
import { type SeccompProfile, seccompProfile } from "./seccomp-profile.ts";

export interface OciMount {
  readonly destination: string;
  readonly type: "proc" | "tmpfs" | "devpts" | "bind";
  readonly source: string;
  readonly options: readonly string[];
}

export interface OciDocument {
  readonly ociVersion: "1.0.2";
  readonly process: {
    readonly terminal: false;
    readonly user: { readonly uid: number; readonly gid: number };
    readonly args: readonly string[];
    readonly env: readonly string[];
    readonly cwd: "/";
    readonly noNewPrivileges: true;
    readonly capabilities: Readonly<Record<"bounding" | "effective" | "inheritable" | "permitted" | "ambient", readonly never[]>>;
  };
  readonly root: { readonly path: string; readonly readonly: true };
  readonly hostname: string;
  readonly mounts: readonly OciMount[];
  readonly linux: {
    readonly namespaces: readonly { readonly type: string }[];
    readonly uidMappings: readonly IdMapping[];
    readonly gidMappings: readonly IdMapping[];
    readonly maskedPaths: readonly string[];
    readonly readonlyPaths: readonly string[];
    /** No limit: those are held by control groups of ours. */
    readonly resources: { readonly devices: readonly [{ readonly allow: false; readonly access: "rwm" }] };
    readonly seccomp: SeccompProfile;
  };
}

export interface DocumentInput {
  readonly sandboxId: string;
  readonly identity: ContainerIdentity;
  /** Absolute, as the runtime sees it. */
  readonly root: string;
  readonly sharedBytes: number;
  /** The runtime is started in the network that the container gets; otherwise it makes one with a loopback alone. */
  readonly isNetworkGiven: boolean;
  /** Undefined: all. */
  readonly boundProcessors: number | undefined;
  /** For tests of the layers, and for another kernel than Linux. */
  readonly guardArguments: readonly string[];
  /** Places of the container's own, where its kernel must know them as mounts; none of the host's. */
  readonly places: readonly { readonly source: string; readonly path: string; readonly isWritable: boolean }[];
}

/** Where the kernel tells about the machine, its keys and its memory. */
const maskedPaths = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/key-users",
  "/proc/kpagecgroup",
  "/proc/kpagecount",
  "/proc/kpageflags",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/devices/virtual/powercap",
  "/sys/firmware",
] as const;

/** Where the kernel is told something. */
const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"] as const;

const namespaces = ["user", "mount", "pid", "network", "ipc", "uts", "cgroup"] as const;

/** Of the directory that holds the devices: no file is to lie there, and Landlock sees to it. */
const deviceBytes = 65_536;

/** Of all containers and sandboxes together the kernel gives 3,072 by default, to whoever asks first. */
const terminalsMax = 128;

const mounts = (sharedBytes: number): readonly OciMount[] => [
  { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
  { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "noexec", "mode=755", `size=${deviceBytes}`] },
  {
    destination: "/dev/pts",
    type: "devpts",
    source: "devpts",
    options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", `max=${terminalsMax}`],
  },
  { destination: sharedInside, type: "tmpfs", source: "shm", options: ["nosuid", "noexec", "nodev", "mode=1777", `size=${sharedBytes}`] },
];

const placeMount = ({ source, path, isWritable }: DocumentInput["places"][number]): OciMount => ({
  destination: path,
  type: "bind",
  source,
  options: ["rbind", "nosuid", "nodev", ...(isWritable ? [] : ["ro"])],
});

export function ociDocument(input: DocumentInput): OciDocument {
  const { sandboxId, identity, root, sharedBytes, isNetworkGiven, boundProcessors, guardArguments } = input;
  const { insideUid, insideGid, uidMappings, gidMappings } = identity;
  const bound = boundProcessors === undefined ? [] : [`--processors=${boundProcessors}`];
  return {
    ociVersion: "1.0.2",
    process: {
      terminal: false,
      user: { uid: insideUid, gid: insideGid },
      args: [guardInside, "serve", markerOf(sandboxId), ...bound, ...guardArguments],
      env: [`PATH=${fallbackPath}`],
      cwd: "/",
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
    },
    root: { path: root, readonly: true },
    hostname: hostNameInside,
    mounts: [...mounts(sharedBytes), ...input.places.map(placeMount)],
    linux: {
      namespaces: namespaces.filter((type) => type !== "network" || !isNetworkGiven).map((type) => ({ type })),
      uidMappings,
      gidMappings,
      maskedPaths,
      readonlyPaths,
      resources: { devices: [{ allow: false, access: "rwm" }] },
      seccomp: seccompProfile(process.arch),
    },
  };
}
