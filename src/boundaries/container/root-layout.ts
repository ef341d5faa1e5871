// The root file system of one container as the launcher's operations: a private file system that shows the template and has places of its
// own. The runtime gets it whole, so that its own document mounts nothing of the host.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { gateResolver } from "../../contracts/egress-places.ts";
import type { LayoutOperation } from "../../linux/linux.ts";
import type { Workspace } from "./container-paths.ts";
import type { RootTemplate } from "./host-template.ts";
import type { ContainerIdentity } from "./identity.ts";
import type { ShownFile } from "./shown-files.ts";
import {
  guardInside,
  homeInside,
  hostNameInside,
  inputInside,
  laidOutInside,
  otherHomeInside,
  outputInside,
  temporaryInside,
} from "./inside.ts";

export interface RootLayoutInput {
  readonly spec: SandboxSpec;
  readonly template: RootTemplate;
  readonly workspace: Workspace;
  readonly shown: readonly ShownFile[];
  /** Into the private home. */
  readonly caches: readonly LayoutOperation[];
  readonly identity: ContainerIdentity;
  /** On the host. */
  readonly guardPath: string;
  readonly stageDirectory: string;
  /** Of all private places together. */
  readonly scratchBytes: number;
  /** The runtime's document. */
  readonly document: string;
  /** Control groups of which the launcher becomes a member first, by the file that it writes to. */
  readonly joined: readonly string[];
  readonly isGvisor: boolean;
  /** Places of the host that the runtime must not see. */
  readonly hidden: readonly string[];
}

/** In the staging directory. */
export const rootDirectory = "root";
export const bundleDirectory = "bundle";
export const runtimeDirectory = "runtime";
/** Holds all of its places that can be written. */
export const privateDirectory = "private";

/** No path below it is shown: what a container has there is its own. */
export const stageDirectory = "/dev/shm";

/** Where a path inside is laid out. */
export const inRoot = (path: string): string => `${rootDirectory}${path}`;
const any = "-";

const bareDirectories = [
  "/dev",
  "/etc",
  "/etc/ssl",
  "/home",
  "/proc",
  "/run",
  "/run/glovebox",
  "/run/sandbox",
  "/sys",
  "/usr",
  "/var",
] as const;

function accounts({ insideUid, insideGid, name }: ContainerIdentity, resolver: string): readonly LayoutOperation[] {
  const lines = (rows: readonly string[]): string => `${rows.join("\n")}\n`;
  const passwd = [
    ...(insideUid === 0 ? [] : ["root:x:0:0:root:/root:/usr/sbin/nologin"]),
    `${name}:x:${insideUid}:${insideGid}:${name}:${homeInside}:/bin/sh`,
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
  ];
  const group = [...(insideGid === 0 ? [] : ["root:x:0:"]), `${name}:x:${insideGid}:`, "nogroup:x:65534:"];
  const files = {
    passwd: lines(passwd),
    group: lines(group),
    hosts: lines([`127.0.0.1\tlocalhost ${hostNameInside}`, `::1\tlocalhost ip6-localhost ${hostNameInside}`]),
    "nsswitch.conf": lines(["passwd: files", "group: files", "hosts: files dns"]),
    "resolv.conf": resolver,
  };
  return Object.entries(files).map(([name_, text]): LayoutOperation => ["file", inRoot(`/etc/${name_}`), text]);
}

/** One file system in memory: what fills one of its places has used up the size of all. */
function privatePlaces({ spec, workspace, stageDirectory: stage, scratchBytes }: RootLayoutInput): readonly LayoutOperation[] {
  const show = (name: string, path: string, isWritable = true): LayoutOperation => [
    isWritable ? "bind" : "bind-ro",
    `${stage}/${privateDirectory}/${name}`,
    any,
    inRoot(path),
  ];
  return [
    ["scratch", privateDirectory, "0755", String(scratchBytes)],
    ["directory", "private/tmp", "1777"],
    ["directory", "private/home", "0700"],
    ["directory", "private/output", "0700"],
    ["directory", "private/workspace", "0755"],
    ...Object.entries(spec.homeFiles ?? {}).map(([name, text]): LayoutOperation => ["file", `private/home/${name}`, text]),
    show("tmp", temporaryInside),
    show("home", homeInside),
    show("output", outputInside),
    show("workspace", workspace.path, workspace.isWritable),
  ];
}

/** What comes before the command that the launcher becomes. */
export function rootLayout(input: RootLayoutInput): readonly LayoutOperation[] {
  const { spec, template, identity, guardPath, stageDirectory: stage, document, joined, hidden, shown, caches } = input;
  // What only the host's root may read, root's container may read as whoever it is.
  const { inputDirectory } = spec;
  const clone = spec.user.uid === 0 ? "idmap-ro" : "bind-ro";
  const owner: readonly LayoutOperation[] = spec.user.uid === 0 ? [["uid", String(identity.hostUid)], ["manage"]] : [];
  return [
    ...owner,
    ...joined.map((file): LayoutOperation => ["join", file]),
    ["stage", stage],
    ...hidden.map((place): LayoutOperation => ["hide", place]),
    ["directory", runtimeDirectory, "0700"],
    ["directory", bundleDirectory, "0755"],
    ["file", `${bundleDirectory}/config.json`, document],
    ["directory", rootDirectory, "0755"],
    ...(input.isGvisor ? [["unflag", rootDirectory] as const] : []),
    ...bareDirectories.map((path): LayoutOperation => ["directory", inRoot(path), "0755"]),
    ...template.links.map(({ path, target }): LayoutOperation => ["link", inRoot(path), target]),
    ["link", inRoot(otherHomeInside), homeInside],
    ["link", inRoot("/var/tmp"), "../tmp"],
    ["link", inRoot("/var/run"), "../run"],
    ...template.binds.map((path): LayoutOperation => ["bind-ro", `${template.root}${path}`, any, inRoot(path)]),
    ...accounts(identity, spec.egress === undefined ? "" : `nameserver ${gateResolver}\n`),
    ["bind-ro", guardPath, any, inRoot(guardInside)],
    ...privatePlaces(input),
    ...caches,
    ...(inputDirectory === undefined ? [] : [[clone, inputDirectory, any, inRoot(inputInside)] as const]),
    ...shown.map(({ path, identity: planned }): LayoutOperation => [clone, path, planned, inRoot(path)]),
    ["file", inRoot(laidOutInside), ""],
  ];
}
