// What a sandbox begins with, known before anybody has looked at the files: its namespaces come up while the view is being planned. Pure.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { boundProcessors, type LayoutOperation, type MachineFacts } from "../../linux/linux.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { FileTree } from "./file-tree.ts";
import { type Identity, identityFor } from "./identity.ts";
import { guardInside } from "./inside.ts";
import { ancestorsOf } from "./paths.ts";
import { chooseStageDirectory, isOpenToAll } from "./staging.ts";
import { emptyFile, inView, viewDirectory } from "./view-layout.ts";

export interface BeginningFacts {
  readonly tree: FileTree;
  /** Absolute host path of the guard. */
  readonly guardPath: string;
  /** Absolute host path of the program that makes the captive network. */
  readonly captivePath: string;
  /** Control groups and processors that there are. */
  readonly machine: MachineFacts;
}

export interface Beginning {
  readonly identity: Identity;
  /** For the launcher, before it becomes bubblewrap. */
  readonly layout: readonly LayoutOperation[];
  readonly stageDirectory: string;
  /** Options of bubblewrap, without program. */
  readonly bwrapArgs: readonly string[];
  /** Where the program of the captive network is when it starts; undefined when nothing may leave. */
  readonly captivePath: string | undefined;
  /** Files of /proc that are empty inside. */
  readonly emptied: readonly string[];
  /** As in a plan of limits. */
  readonly boundProcessors: number | undefined;
  /** Whether the plan may come to hold a write root. */
  readonly mayWrite: boolean;
}

/** The name of its program in the staging directory. */
const captiveClone = "captive";

/** They name the keys that the kernel keeps for the host's user, whose id the sandbox shares. */
const keyLists = ["/proc/keys", "/proc/key-users"] as const;

const anyIdentity = "-";

/** Root's launcher becomes a member of the control groups before it becomes anybody else. */
function launcherIdentity({ user }: SandboxSpec, { hostUid }: Identity, { cgroups }: MachineFacts): readonly LayoutOperation[] {
  if (user.uid !== 0) return [];
  return [["uid", String(hostUid)], ...cgroups.map(({ joinFile }): LayoutOperation => ["join", joinFile])];
}

/** Where the captive network's program is when it starts: what root's sandbox could not use passes through an idmapped clone. */
function captiveOf({ egress }: SandboxSpec, captivePath: string, stageDirectory: string, isClosed: (program: string) => boolean) {
  if (egress === undefined) return { operations: [], path: undefined };
  if (!isClosed(captivePath)) return { operations: [], path: captivePath };
  const clone: LayoutOperation = ["idmap-ro", captivePath, anyIdentity, captiveClone];
  return { operations: [clone], path: `${stageDirectory}/${captiveClone}` };
}

/** As much of the view as bubblewrap and the guard need, and the word that the rest appears in it when it is there. */
function firstPlaces(guardPath: string, isGuardClosed: boolean): readonly LayoutOperation[] {
  return [
    ["file", emptyFile, ""],
    ["mask", viewDirectory, "0755"],
    ["share", viewDirectory],
    ...["/proc", ...ancestorsOf(guardInside)].map((path): LayoutOperation => ["directory", inView(path), "0755"]),
    [isGuardClosed ? "idmap-ro" : "bind-ro", guardPath, anyIdentity, inView(guardInside)],
  ];
}

export function planBeginning(spec: SandboxSpec, { tree, guardPath, captivePath, machine }: BeginningFacts): Beginning {
  const identity = identityFor(spec.user, spec.sandboxId);
  const isClosed = (program: string): boolean => spec.user.uid === 0 && !isOpenToAll(tree, program);
  const stageDirectory = chooseStageDirectory(tree, [guardPath, captivePath]);
  const captive = captiveOf(spec, captivePath, stageDirectory, isClosed);
  const emptied = keyLists.filter((path) => tree.look(path)?.kind === "file");
  const isCaptive = spec.egress !== undefined;
  const isNesting = spec.nestedNamespaces === true;
  return {
    identity,
    layout: [
      ...launcherIdentity(spec, identity, machine),
      ["stage", stageDirectory],
      ...captive.operations,
      ...firstPlaces(guardPath, isClosed(guardPath)),
    ],
    stageDirectory,
    bwrapArgs: bwrapArguments({ identity, isCaptive, isNesting, stageDirectory, emptied }),
    captivePath: captive.path,
    emptied,
    boundProcessors: boundProcessors(spec.limits, machine),
    mayWrite: spec.paths.allowWrite.length > 0,
  };
}
