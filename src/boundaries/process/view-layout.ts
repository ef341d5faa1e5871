// A view as the launcher's operations: mounts from the outside in, and everything of ours read-only at the end.
import type { LayoutOperation } from "../../linux/linux.ts";
import { guardInside, homeInside, scratchInside, temporaryInside } from "./inside.ts";
import { ancestorsOf, byDepth, isAtOrBelow, isBelow } from "./paths.ts";
import type { StagedBind } from "./staging.ts";
import { accessInView, type View } from "./view.ts";

/** Names in the staging directory. */
export const viewDirectory = "view";
export const emptyFile = "empty";

/** Text that becomes a file inside without ever being one on the host. */
export interface DataFile {
  readonly path: string;
  readonly text: string;
  /** True: mounted read-only over a host file; false: a file of the sandbox's own. */
  readonly isBound: boolean;
}

export interface ViewLayoutInput {
  readonly view: View;
  readonly systemLinks: readonly { readonly path: string; readonly target: string }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly dataFiles: readonly DataFile[];
  /** Into the private home. */
  readonly shared: readonly LayoutOperation[];
  /** Bytes of the private places. */
  readonly sizes: { readonly scratchBytes: number; readonly sharedBytes: number };
  /** Root's: what passes through an idmapped clone. */
  readonly staged: readonly StagedBind[];
  readonly stageDirectory: string;
}

interface Mount {
  readonly path: string;
  readonly operation: LayoutOperation;
}

interface Bind {
  readonly path: string;
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly target: string;
}

export const inView = (path: string): string => `${viewDirectory}${path}`;

/** Of what was not planned as a place. */
const anyIdentity = "-";

function bindsOf({ view }: ViewLayoutInput): readonly Bind[] {
  const shown = view.places.filter(({ access }) => access !== "hidden");
  return [
    ...shown.map(({ path, identity, access }) => ({ path, identity, isReadOnly: access === "read", target: path })),
    ...view.pins.map(({ path, identity }) => ({ path, identity, isReadOnly: false, target: path })),
  ];
}

/** An idmapped clone is taken once: of one that shows several places, each of them is a part. */
function isShared(staged: StagedBind, binds: readonly Bind[]): boolean {
  return binds.filter(({ path }) => isAtOrBelow(path, staged.path)).length > 1;
}

function sharedClones({ staged }: ViewLayoutInput, binds: readonly Bind[]): readonly LayoutOperation[] {
  return staged
    .filter((clone) => isShared(clone, binds))
    .map(({ path, stage, isReadOnly }): LayoutOperation => {
      const identity = binds.find((bind) => bind.path === path)?.identity ?? anyIdentity;
      return [isReadOnly ? "idmap-ro" : "idmap", path, identity, stage];
    });
}

function bindMount(
  { path, identity, isReadOnly, target }: Bind,
  { staged, stageDirectory }: ViewLayoutInput,
  binds: readonly Bind[],
): Mount {
  const clone = staged.find((candidate) => isAtOrBelow(path, candidate.path));
  const named = (operation: "bind" | "idmap", source: string): Mount => {
    const name = isReadOnly ? `${operation}-ro` : operation;
    return { path: target, operation: [name, source, identity, inView(target)] };
  };
  if (clone === undefined) return named("bind", path);
  if (!isShared(clone, binds)) return named("idmap", path);
  return named("bind", `${stageDirectory}/${clone.stage}${path.slice(clone.path.length)}`);
}

function maskMounts(view: View): readonly Mount[] {
  return view.places
    .filter(({ access }) => access === "hidden")
    .map(({ path, kind }): Mount => {
      // A device behind a nodev mount: every open of it is refused.
      if (kind === "file") return { path, operation: ["bind-ro", "/dev/null", anyIdentity, inView(path)] };
      const isReopened = view.places.some((inner) => inner.access !== "hidden" && isBelow(inner.path, path));
      return { path, operation: ["mask", inView(path), isReopened ? "0111" : "0000"] };
    });
}

/** Of the directory that holds the devices: no file of a sandbox's is to lie there, and Landlock sees to it. */
const deviceBytes = "65536";

/** The directories that were there before, for the guard. */
const placesBefore: readonly string[] = ancestorsOf(guardInside);

/** Made anew, over whatever would be shown there. */
const kernelPlaces: readonly string[] = ["/dev", "/proc"];

/** The bare directories that lead to what is shown. */
function skeleton(view: View, paths: readonly string[]): readonly Mount[] {
  const bare = new Set(paths.flatMap(ancestorsOf).filter((path) => ["absent", "hidden"].includes(accessInView(view, path))));
  const isThere = (path: string): boolean => placesBefore.includes(path) || view.places.some((place) => place.path === path);
  return [...bare].filter((path) => !isThere(path)).map((path): Mount => ({ path, operation: ["directory", inView(path), "0755"] }));
}

/** A link where nothing of the host is shown, neither there nor below. */
function linkUnlessShown(view: View, path: string, target: string): readonly LayoutOperation[] {
  const isShown = accessInView(view, path) !== "absent" || view.places.some((place) => isBelow(place.path, path));
  return isShown ? [] : [["link", inView(path), target]];
}

function privatePlaces({ view, sizes }: ViewLayoutInput): readonly LayoutOperation[] {
  return [
    ["scratch", inView("/dev"), "0755", deviceBytes],
    ["devices", inView("/dev")],
    ["scratch", inView("/dev/shm"), "1777", String(sizes.sharedBytes)],
    ["scratch", inView(scratchInside), "0755", String(sizes.scratchBytes)],
    ["directory", inView(homeInside), "0700"],
    ["directory", inView(temporaryInside), "1777"],
    // A real /tmp would need Landlock rights that a project below it inherits; where there is one, TMPDIR alone leads to the private directory.
    ...linkUnlessShown(view, "/tmp", temporaryInside.slice(1)),
    ...linkUnlessShown(view, "/var/tmp", `..${temporaryInside}`),
    ...linkUnlessShown(view, "/var/run", "../run"),
  ];
}

const linkTo = ({ path, target }: { readonly path: string; readonly target: string }): LayoutOperation => ["link", inView(path), target];

/** In the staging directory, after what beginning.ts has made there. */
export function viewLayout(input: ViewLayoutInput): readonly LayoutOperation[] {
  const { view, dataFiles } = input;
  const binds = bindsOf(input);
  const bare = skeleton(view, [...binds.map(({ target }) => target), scratchInside, "/var/tmp"]);
  const isCovered = ({ path }: { readonly path: string }): boolean => kernelPlaces.some((place) => isAtOrBelow(path, place));
  const mounts = [...binds.map((bind) => bindMount(bind, input, binds)), ...maskMounts(view), ...bare].filter((mount) => !isCovered(mount));
  return [
    ...sharedClones(input, binds),
    ...input.systemLinks.map(linkTo),
    ...mounts.toSorted((left, right) => byDepth(left.path, right.path)).map(({ operation }) => operation),
    ...privatePlaces(input),
    ...input.shared,
    ...dataFiles.map(({ path, text, isBound }): LayoutOperation => [isBound ? "text" : "file", inView(path), text]),
    ...input.links.map(linkTo),
    ["seal"],
  ];
}
