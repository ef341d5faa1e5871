// The plan of one sandbox: a pure function of the spec and of what the file tree says. It opens nothing and starts nothing.
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { gateResolver } from "../../contracts/egress-places.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { type GuardMediation, sizes } from "../../guard/guard.ts";
import { cacheMounts, cachePlaces, type LayoutOperation, type LimitPlan, type MachineFacts, planLimits } from "../../linux/linux.ts";
import type { Beginning } from "./beginning.ts";
import type { HostNames, PathFacts } from "./environment.ts";
import type { FileTree } from "./file-tree.ts";
import { sanitiseGitConfig } from "./git-config.ts";
import { accountFiles, hostsFile, type Identity } from "./identity.ts";
import { homeInside, inputInside } from "./inside.ts";
import { type LandlockRule, landlockRules } from "./landlock-plan.ts";
import { refuseRootsInGit } from "./git-roots.ts";
import { refuseLinkedNames, refuseShownNames } from "./linked-names.ts";
import { listedNames } from "../../contracts/listed-names.ts";
import { type MaskPlan, maskPlanOf } from "./mask-plan.ts";
import { isAtOrBelow, isBelow } from "./paths.ts";
import { canonicalPath, compileRules, type ProtectedPath } from "./rules.ts";
import { stagedBinds } from "./staging.ts";
import { readingOf } from "./read-plan.ts";
import { rememberingTree } from "./remembering-tree.ts";
import { systemNames } from "./system-tree.ts";
import { accessInView, type View, viewOf } from "./view.ts";
import { type DataFile, inView, viewLayout } from "./view-layout.ts";

export interface PlanFacts {
  readonly tree: FileTree;
  readonly protectedPaths: readonly ProtectedPath[];
  /** Control groups and processors that there are. */
  readonly machine: MachineFacts;
}

export interface SandboxPlan {
  readonly view: View;
  readonly identity: Identity;
  readonly landlockRules: readonly LandlockRule[];
  /** The same without what the masker hid in the built sandbox. @throws PATH_RULE_UNENFORCEABLE as `planSandbox` */
  readonly landlockRulesWithout: (masked: readonly string[]) => readonly LandlockRule[];
  /** Looks for further names of what the masker hid. @throws PATH_RULE_UNENFORCEABLE naming both names */
  readonly refuseSecondNames: (masked: readonly string[]) => void;
  /** Undefined when mounts hold every denial. */
  readonly masks: MaskPlan | undefined;
  readonly mediation: GuardMediation;
  readonly limits: LimitPlan;
  /** For the launcher's other half: the rest of the view. */
  readonly layout: readonly LayoutOperation[];
  readonly pathFacts: PathFacts & HostNames;
  /** Where each path that the policy names led when the plan was made. */
  readonly ledTo: ReadonlyMap<string, string>;
  /** Host paths for the answer sheet. */
  readonly sheet: { readonly reads: readonly string[]; readonly hidden: readonly string[]; readonly writes: readonly string[] };
}

const resolverFile = "/etc/resolv.conf";

/** Where the resolver's configuration really lies, and what it says where the gate answers. */
function resolverSource({ egress }: SandboxSpec, tree: FileTree): { readonly path: string; readonly text: string }[] {
  if (egress === undefined) return [];
  return [{ path: tree.canonical(resolverFile) ?? resolverFile, text: `nameserver ${gateResolver}\n` }];
}

function dataFilesOf(spec: SandboxSpec, tree: FileTree, identity: Identity, view: View): readonly DataFile[] {
  const accounts = accountFiles(identity, { passwd: tree.text("/etc/passwd") ?? "", group: tree.text("/etc/group") ?? "" });
  const passwd = { path: "/etc/passwd", text: accounts.passwd };
  const group = { path: "/etc/group", text: accounts.group };
  const hosts = { path: "/etc/hosts", text: hostsFile };
  // An ordinary user's group has its name already.
  const accountsAndHosts = spec.user.uid === 0 ? [passwd, group, hosts] : [passwd, hosts];
  const bound = [...accountsAndHosts, ...resolverSource(spec, tree)];
  const files = ["/.gitconfig", "/.config/git/config"].map((below) => tree.text(`${spec.user.home}${below}`));
  const gitConfig = files.map((text) => sanitiseGitConfig(text ?? "")).join("");
  const hasPlace = ({ path }: { readonly path: string }): boolean => {
    const access = accessInView(view, path);
    // A file that the host does not have cannot be put into its read-only /etc; one that a rule hides stays hidden.
    return access === "absent" || (access === "read" && tree.look(path)?.kind === "file");
  };
  const result: DataFile[] = bound.filter(hasPlace).map((file) => ({ ...file, isBound: true }));
  if (gitConfig !== "") result.push({ path: `${homeInside}/.gitconfig`, isBound: false, text: gitConfig });
  for (const [name, text] of Object.entries(spec.homeFiles ?? {})) result.push({ path: `${homeInside}/${name}`, isBound: false, text });
  return result;
}

/**
 * `~/x` keeps working inside, where HOME is another directory: a link leads to each shown path below the host's home. None where a file of
 * the private home or a shared cache lies at, above or below it: that is the policy's word about the place.
 */
function homeLinks(view: View, hostHome: string, own: readonly string[]): readonly { readonly path: string; readonly target: string }[] {
  const shown = view.places.filter(
    ({ path, access, around }) => access !== "hidden" && isBelow(path, hostHome) && (around === "absent" || around === "hidden"),
  );
  const names = shown.map(({ path }) => path);
  return names
    .filter((path) => !names.some((outer) => isBelow(path, outer)) && path !== `${hostHome}/.gitconfig`)
    .map((path) => ({ path: `${homeInside}${path.slice(hostHome.length)}`, target: path }))
    .filter(({ path }) => !own.some((place) => isAtOrBelow(place, path) || isBelow(path, place)));
}

function systemLinks(tree: FileTree): readonly { readonly path: string; readonly target: string }[] {
  return systemNames.flatMap((path) => {
    const target = tree.linkTarget(path);
    return target === undefined ? [] : [{ path, target }];
  });
}

/** What a rule keeps from being written within a write root: held by a mount where it exists, and by the mediator. */
function deniedInRoots(view: View): readonly string[] {
  const places = view.places.filter(({ access, around }) => access !== "write" && around === "write").map(({ path }) => path);
  return [...new Set([...places, ...view.later, ...view.unmade])];
}

/** Also those that lie in another: whoever names `.vscode` itself has opened it. */
function writeRoots(spec: SandboxSpec, tree: FileTree, view: View): readonly string[] {
  const places = view.places.filter(({ access }) => access === "write").map(({ path }) => path);
  const named = spec.paths.allowWrite.map((path) => canonicalPath(tree, path)).filter((path) => accessInView(view, path) === "write");
  return [...new Set([...places, ...named])];
}

function sheetOf({ paths, user, inputDirectory }: SandboxSpec, view: View): SandboxPlan["sheet"] {
  const of = (access: string): readonly string[] => view.places.filter((place) => place.access === access).map(({ path }) => path);
  const globs = (paths.denyReadGlobs ?? []).map(({ text }) => text);
  const hidden = [...new Set([user.home, ...of("hidden"), ...view.closed, ...view.holes, ...view.later, ...globs])];
  const inputs = inputDirectory === undefined ? [] : [inputInside];
  return { reads: [...new Set([...of("read"), ...view.unmade, ...inputs])], hidden, writes: of("write") };
}

function whereTheyLead({ projectDirectory, paths }: SandboxSpec, tree: FileTree): ReadonlyMap<string, string> {
  const named = [projectDirectory, ...paths.allowRead, ...paths.denyRead, ...paths.allowWrite, ...paths.denyWrite];
  return new Map(named.map((path) => [path, canonicalPath(tree, path)]));
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

const cachesOf = (spec: SandboxSpec, tree: FileTree): readonly LayoutOperation[] =>
  cacheMounts(spec, { home: homeInside, laidOut: inView, identityOf: (path) => tree.look(path)?.identity });

function inputsOf({ inputDirectory, user }: SandboxSpec, tree: FileTree): readonly LayoutOperation[] {
  if (inputDirectory === undefined) return [];
  return [[user.uid === 0 ? "idmap-ro" : "bind-ro", inputDirectory, tree.look(inputDirectory)?.identity ?? "", inView(inputInside)]];
}

interface Wall {
  readonly view: View;
  readonly limits: LimitPlan;
  readonly links: ReturnType<typeof systemLinks>;
  readonly dataFiles: readonly DataFile[];
  readonly shared: readonly LayoutOperation[];
}

function layoutOf(spec: SandboxSpec, { stageDirectory }: Beginning, wall: Wall): readonly LayoutOperation[] {
  const { view, limits, links, dataFiles, shared } = wall;
  const own = [...Object.keys(spec.homeFiles ?? {}).map((name) => `${homeInside}/${name}`), ...cachePlaces(spec, homeInside)];
  return viewLayout({
    view,
    systemLinks: links,
    links: homeLinks(view, spec.user.home, own),
    dataFiles,
    shared,
    sizes: limits,
    staged: spec.user.uid === 0 ? stagedBinds(view) : [],
    stageDirectory,
  });
}

/**
 * @throws PATH_RULE_UNENFORCEABLE when a rule cannot be held as written
 */
export function planSandbox(spec: SandboxSpec, facts: PlanFacts, beginning: Beginning): SandboxPlan {
  const tree = rememberingTree(facts.tree);
  const { identity, emptied } = beginning;
  const rules = compileRules(spec, tree, facts.protectedPaths);
  const view = viewOf(spec, tree, rules);
  refuseRootsInGit(tree, view);
  refuseLinkedNames(rules, tree);
  const dataFiles = dataFilesOf(spec, tree, identity, view);
  const boundFiles = [...dataFiles.filter(({ isBound }) => isBound).map(({ path }) => path), ...emptied];
  const rulesWithout = (masked: readonly string[]): readonly LandlockRule[] =>
    landlockRules({ ...view, holes: [...view.holes, ...masked] }, tree, boundFiles);
  const links = systemLinks(tree);
  const masks = maskPlanOf(spec, tree, view);
  const mediation = mediationOf({ ...spec, paths: { ...spec.paths, strict: masks?.isStrict ?? spec.paths.strict === true } }, tree, view);
  const limits = planLimits(spec.limits, facts.machine);
  return {
    view,
    identity,
    layout: layoutOf(spec, beginning, { view, limits, links, dataFiles, shared: [...cachesOf(spec, tree), ...inputsOf(spec, tree)] }),
    landlockRules: rulesWithout([]),
    landlockRulesWithout: rulesWithout,
    refuseSecondNames: (masked) => refuseShownNames(masked, rules, facts.tree),
    masks,
    mediation,
    limits,
    pathFacts: {
      view,
      tree: facts.tree,
      systemLinks: links,
      hostHome: spec.user.home,
      hostName: spec.user.name,
      nameInside: identity.name,
    },
    ledTo: whereTheyLead(spec, tree),
    sheet: sheetOf(spec, view),
  };
}
