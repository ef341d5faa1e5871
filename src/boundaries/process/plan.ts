// The plan of one sandbox: a pure function of the spec and of what the file tree says. It opens nothing and starts nothing.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { type GuardMediation, sizes } from "../../guard/guard.ts";
import { bwrapArguments, type DataFile } from "./bwrap-arguments.ts";
import type { HostNames, PathFacts } from "./environment.ts";
import type { FileTree } from "./file-tree.ts";
import { sanitiseGitConfig } from "./git-config.ts";
import type { HeldPlace } from "./held-places.ts";
import { accountFiles, hostsFile, type Identity, identityFor } from "./identity.ts";
import { homeInside } from "./inside.ts";
import { type LandlockRule, landlockRules } from "./landlock-plan.ts";
import { type LimitPlan, type MachineFacts, planLimits } from "./limit-plan.ts";
import { refuseRootsInGit } from "./git-roots.ts";
import { refuseLinkedNames, refuseShownNames } from "./linked-names.ts";
import { listedNames } from "./listed-names.ts";
import { type MaskPlan, maskPlanOf } from "./mask-plan.ts";
import { isAtOrBelow, isBelow } from "./paths.ts";
import { canonicalPath, compileRules, type ProtectedPath } from "./rules.ts";
import { chooseStageDirectory, isOfSystem, isOpenToAll, type StagedBind, sourceOf, stagedBinds } from "./staging.ts";
import { readingOf } from "./read-plan.ts";
import { systemNames } from "./system-tree.ts";
import { accessInView, type View, viewOf } from "./view.ts";

export interface PlanFacts {
  readonly tree: FileTree;
  readonly protectedPaths: readonly ProtectedPath[];
  /** Absolute host path of the guard. */
  readonly guardPath: string;
  /** Absolute host path of the program that makes the captive network. */
  readonly captivePath: string;
  /** The first descriptor that bubblewrap may read a data file from. */
  readonly firstDescriptor: number;
  /** Control groups and processors that there are. */
  readonly machine: MachineFacts;
}

export interface SandboxPlan {
  readonly view: View;
  readonly identity: Identity;
  /** Options of bubblewrap, without program. */
  readonly bwrapArgs: readonly string[];
  readonly landlockRules: readonly LandlockRule[];
  /** The same without what the masker hid in the built sandbox. @throws PATH_RULE_UNENFORCEABLE as `planSandbox` */
  readonly landlockRulesWithout: (masked: readonly string[]) => readonly LandlockRule[];
  /** Looks for further names of what the masker hid. @throws PATH_RULE_UNENFORCEABLE naming both names */
  readonly refuseSecondNames: (masked: readonly string[]) => void;
  /** Undefined when mounts hold every denial. */
  readonly masks: MaskPlan | undefined;
  readonly mediation: GuardMediation;
  readonly limits: LimitPlan;
  /** For the launcher; empty for an ordinary user. */
  readonly staged: readonly StagedBind[];
  /** The launcher's; empty for an ordinary user. */
  readonly stageDirectory: string;
  /** Where the program of the captive network is when it starts; undefined when nothing may leave. */
  readonly captivePath: string | undefined;
  /** Contents for the descriptors that `bwrapArgs` names, ascending. */
  readonly dataFiles: readonly (DataFile & { readonly text: string })[];
  readonly pathFacts: PathFacts & HostNames;
  /** What bubblewrap gets as descriptors that follow those of `dataFiles`, in this order. */
  readonly held: readonly HeldPlace[];
  /** Host paths for the answer sheet. */
  readonly sheet: { readonly reads: readonly string[]; readonly hidden: readonly string[]; readonly writes: readonly string[] };
}

interface DataSource {
  readonly path: string;
  readonly isBound: boolean;
  readonly text: string;
}

/** They name the keys that the kernel keeps for the host's user, whose id the sandbox shares. */
const keyLists = ["/proc/keys", "/proc/key-users"] as const;

function dataSources(spec: SandboxSpec, tree: FileTree, identity: Identity, view: View): readonly DataSource[] {
  const accounts = accountFiles(identity, { passwd: tree.text("/etc/passwd") ?? "", group: tree.text("/etc/group") ?? "" });
  const passwd = { path: "/etc/passwd", text: accounts.passwd };
  const group = { path: "/etc/group", text: accounts.group };
  const hosts = { path: "/etc/hosts", text: hostsFile };
  // An ordinary user's group has its name already.
  const bound = spec.user.uid === 0 ? [passwd, group, hosts] : [passwd, hosts];
  const files = ["/.gitconfig", "/.config/git/config"].map((below) => tree.text(`${spec.user.home}${below}`));
  const gitConfig = files.map((text) => sanitiseGitConfig(text ?? "")).join("");
  const hasPlace = ({ path }: { readonly path: string }): boolean => {
    const access = accessInView(view, path);
    // A file that the host does not have cannot be put into its read-only /etc; one that a rule hides stays hidden.
    return access === "absent" || (access === "read" && tree.look(path)?.kind === "file");
  };
  const empty = keyLists.filter((path) => tree.look(path)?.kind === "file").map((path) => ({ path, text: "" }));
  const result: DataSource[] = [...bound.filter(hasPlace), ...empty].map((file) => ({ ...file, isBound: true }));
  if (gitConfig !== "") result.push({ path: `${homeInside}/.gitconfig`, isBound: false, text: gitConfig });
  for (const [name, text] of Object.entries(spec.homeFiles ?? {})) result.push({ path: `${homeInside}/${name}`, isBound: false, text });
  return result;
}

/**
 * `~/x` keeps working inside, where HOME is another directory: a link leads to each shown path below the host's home. None where a file of
 * the private home lies at, above or below it: that is the policy's word about the place.
 */
function homeLinks(
  view: View,
  hostHome: string,
  homeFiles: readonly string[],
): readonly { readonly path: string; readonly target: string }[] {
  const shown = view.places.filter(
    ({ path, access, around }) => access !== "hidden" && isBelow(path, hostHome) && (around === "absent" || around === "hidden"),
  );
  const names = shown.map(({ path }) => path);
  const files = homeFiles.map((name) => `${homeInside}/${name}`);
  return names
    .filter((path) => !names.some((outer) => isBelow(path, outer)) && path !== `${hostHome}/.gitconfig`)
    .map((path) => ({ path: `${homeInside}${path.slice(hostHome.length)}`, target: path }))
    .filter(({ path }) => !files.some((file) => isAtOrBelow(file, path) || isBelow(path, file)));
}

function systemLinks(tree: FileTree): readonly { readonly path: string; readonly target: string }[] {
  return systemNames.flatMap((path) => {
    const target = tree.linkTarget(path);
    return target === undefined ? [] : [{ path, target }];
  });
}

/** Places that are not the system's own: who can write there could swap them between plan and mount. */
function heldPlaces(view: View): readonly HeldPlace[] {
  const shown = view.places.filter(({ path, access }) => access !== "hidden" && !isOfSystem(path));
  return [...shown, ...view.pins].map(({ path, identity }) => ({ path, identity }));
}

/** What a rule keeps from being written within a write root: held by a mount, and by the mediator when the mount is gone. */
function deniedInRoots(view: View): readonly string[] {
  return view.places.filter(({ access, around }) => access !== "write" && around === "write").map(({ path }) => path);
}

/** Also those that lie in another: whoever names `.vscode` itself has opened it. */
function writeRoots(spec: SandboxSpec, tree: FileTree, view: View): readonly string[] {
  const places = view.places.filter(({ access }) => access === "write").map(({ path }) => path);
  const named = spec.paths.allowWrite.map((path) => canonicalPath(tree, path)).filter((path) => accessInView(view, path) === "write");
  return [...new Set([...places, ...named])];
}

function descriptorsFrom(first: number, held: readonly HeldPlace[]) {
  return (path: string): number | undefined => {
    const index = held.findIndex((place) => place.path === path);
    return index < 0 ? undefined : first + index;
  };
}

function sheetOf({ paths, user }: SandboxSpec, view: View): SandboxPlan["sheet"] {
  const of = (access: string): readonly string[] => view.places.filter((place) => place.access === access).map(({ path }) => path);
  const globs = (paths.denyReadGlobs ?? []).map(({ text }) => text);
  const hidden = [...new Set([user.home, ...of("hidden"), ...view.closed, ...view.holes, ...globs])];
  return { reads: of("read"), hidden, writes: of("write") };
}

/** @throws PATH_RULE_UNENFORCEABLE when they are more than the guard takes */
function namesOf({ paths }: SandboxSpec): readonly string[] {
  const names = [...new Set([...listedNames, ...(paths.protectedNames ?? [])])];
  if (names.length <= sizes.namesMax) return names;
  const maximum = sizes.namesMax - listedNames.length;
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.names-too-many", {
    values: { count: names.length - listedNames.length, maximum },
  });
}

function mediationOf(spec: SandboxSpec, tree: FileTree, view: View): GuardMediation {
  return {
    writeRoots: writeRoots(spec, tree, view),
    listedNames: namesOf(spec),
    listedPaths: deniedInRoots(view),
    ...(spec.nestedNamespaces === true ? { nested: true } : {}),
    ...readingOf(spec, view),
  };
}

/** Where each program and place is when it is used: root's places, and programs that not everybody may use, pass through the launcher. */
function stagingOf({ egress, user }: SandboxSpec, { tree, guardPath, captivePath }: PlanFacts, view: View) {
  const programs = egress === undefined ? [guardPath] : [guardPath, captivePath];
  const closed = programs.filter((program) => !isOpenToAll(tree, program));
  const staged = user.uid === 0 ? stagedBinds(view, closed) : [];
  const stageDirectory = staged.length === 0 ? "" : chooseStageDirectory(view, tree, programs);
  const source = (path: string): string => sourceOf(staged, stageDirectory, path);
  return { staged, stageDirectory, source, captivePath: egress === undefined ? undefined : source(captivePath) };
}

/**
 * @throws PATH_RULE_UNENFORCEABLE when a rule cannot be held as written
 */
export function planSandbox(spec: SandboxSpec, facts: PlanFacts): SandboxPlan {
  const { tree } = facts;
  const identity = identityFor(spec.user, spec.sandboxId);
  const isRoot = spec.user.uid === 0;
  const rules = compileRules(spec, tree, facts.protectedPaths);
  const view = viewOf(spec, tree, rules);
  refuseRootsInGit(tree, view);
  refuseLinkedNames(rules, tree);
  const { source, ...staging } = stagingOf(spec, facts, view);
  const dataFiles = dataSources(spec, tree, identity, view).map((file, index) => ({ ...file, descriptor: facts.firstDescriptor + index }));
  const boundFiles = dataFiles.filter(({ isBound }) => isBound).map(({ path }) => path);
  const rulesWithout = (masked: readonly string[]): readonly LandlockRule[] =>
    landlockRules({ ...view, holes: [...view.holes, ...masked] }, tree, boundFiles);
  const links = systemLinks(tree);
  // Root's places pass through the launcher, which resolves each path once and without links.
  const held = isRoot ? [] : heldPlaces(view);
  const masks = maskPlanOf(spec, tree, view);
  const mediation = mediationOf({ ...spec, paths: { ...spec.paths, strict: masks?.isStrict ?? spec.paths.strict === true } }, tree, view);
  const limits = planLimits(spec.limits, facts.machine, mediation.writeRoots.length > 0);
  return {
    view,
    identity,
    bwrapArgs: bwrapArguments({
      view,
      identity,
      systemLinks: links,
      links: homeLinks(view, spec.user.home, Object.keys(spec.homeFiles ?? {})),
      dataFiles,
      guardSource: source(facts.guardPath),
      isCaptive: spec.egress !== undefined,
      isNesting: spec.nestedNamespaces === true,
      sizes: limits,
      source,
      descriptorOf: descriptorsFrom(facts.firstDescriptor + dataFiles.length, held),
    }),
    landlockRules: rulesWithout([]),
    landlockRulesWithout: rulesWithout,
    refuseSecondNames: (masked) => refuseShownNames(masked, rules, tree),
    masks,
    mediation,
    limits,
    ...staging,
    dataFiles,
    held,
    pathFacts: { view, tree, systemLinks: links, hostHome: spec.user.home, hostName: spec.user.name, nameInside: identity.name },
    sheet: sheetOf(spec, view),
  };
}
