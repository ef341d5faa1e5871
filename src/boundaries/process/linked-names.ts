// Second names of what a rule denies. A rule speaks of names, the kernel opens files: a hard link that an earlier run made while nothing
// was denied would open the same file under a name that this one may use. INVARIANT I-15
// It asks about rules that a person wrote, and about Glovebox's own code in a write root; never about the system's secrets.
import { posix } from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { quoteArgument } from "../../kit/escape-text.ts";
import { encodeByteText } from "../../kit/byte-text.ts";
import type { FileTree, LinkedName, Survey } from "./file-tree.ts";
import { childOf, isAtOrBelow, isBelow } from "./paths.ts";
import { accessAt, type Rule } from "./rules.ts";

/** One character a byte: names that are no UTF-8 have second names too. */
const bytesOf = (path: string): string => Buffer.from(path).toString("latin1");
const textOf = (bytes: string): string => Buffer.from(bytes, "latin1").toString();

/** Of one search. What is not looked at might hold a second name, so that a search that comes to its end here refuses the sandbox. */
export interface SearchBounds {
  /** Each costs some microseconds. */
  readonly entries: number;
  /** What is kept in memory: files with more names than one, and directories that are still to be looked into. */
  readonly kept: number;
}

const defaultBounds: SearchBounds = { entries: 5_000_000, kept: 1_000_000 };

interface LinkedFile {
  /** One of its names, in bytes. */
  readonly path: string;
  /** Each of its names that was found, by the directory that holds it: what is mounted in two places is one name. */
  readonly found: Set<string>;
  links: number;
}

/**
 * Walks some of the regions into which the rules divide the host, a directory at a time, and keeps what has names elsewhere: a file all of whose
 * names were found here has none in another region.
 */
class LinkedNames {
  /** By device and inode. */
  readonly #files = new Map<string, LinkedFile>();
  /** A directory that keeps its names to itself, in bytes. */
  closed: string | undefined;
  readonly #tree: FileTree;
  readonly #edges: ReadonlySet<string>;
  readonly #bounds: SearchBounds;
  readonly #left: string[] = [];
  #entries = 0;

  /** @param edges every path that a rule names, in bytes: what lies there belongs to another region */
  constructor(tree: FileTree, regions: readonly string[], edges: ReadonlySet<string>, bounds: SearchBounds) {
    this.#tree = tree;
    this.#edges = edges;
    this.#bounds = bounds;
    for (const path of regions) {
      const entry = tree.look(path);
      if (entry?.kind === "directory") this.#left.push(bytesOf(path));
      else if (entry !== undefined && entry.links > 1) this.addFile(bytesOf(path), entry, tree.look(posix.dirname(path))?.identity);
    }
  }

  /** Device and inode -> one name, in bytes. */
  get names(): ReadonlyMap<string, string> {
    const open = [...this.#files].filter(([, { found, links }]) => found.size < links);
    return new Map(open.map(([identity, { path }]) => [identity, path]));
  }

  /** @param path in bytes @param directory identity of what holds it; without it the name does not count as found */
  addFile(path: string, { identity, links }: Pick<LinkedName, "identity" | "links">, directory: string | undefined): void {
    const file = this.#files.get(identity) ?? { path, found: new Set(), links };
    if (directory !== undefined) file.found.add(`${directory}${path.slice(path.lastIndexOf("/"))}`);
    file.links = links;
    this.#files.set(identity, file);
  }

  /** @param path in bytes */
  addDirectory(path: string): void {
    this.#left.push(path);
  }

  get isDone(): boolean {
    return this.#left.length === 0;
  }

  get isEmpty(): boolean {
    return this.names.size === 0 && this.closed === undefined;
  }

  /** Looks into `count` more directories. */
  advance(count: number): void {
    for (let done = 0; done < count; done++) {
      const directory = this.#left.pop();
      if (directory === undefined) return;
      this.#lookInto(directory);
    }
  }

  #lookInto(directory: string): void {
    const { directories, linked, isClosed, identity, entries, isCut } = this.#tree.survey(directory, this.#bounds.entries - this.#entries);
    this.#entries += entries;
    const kept = this.#files.size + this.#left.length + directories.length + linked.length;
    if (isCut || kept > this.#bounds.kept) refuseTooMany(directory, this.#bounds);
    if (isClosed) this.closed ??= directory;
    for (const name of directories) {
      const path = childOf(directory, name);
      if (!this.#edges.has(path)) this.#left.push(path);
    }
    for (const file of linked) {
      const path = childOf(directory, file.name);
      if (!this.#edges.has(path)) this.addFile(path, file, identity);
    }
  }
}

function refuseTooMany(directory: string, { entries, kept }: SearchBounds): never {
  const values = { path: textOf(directory), entries: String(entries), kept: String(kept) };
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.second-names-unsearched", { values });
}

/** What a pattern matched, as far as it may have names that the pattern does not cover. */
function maskedNames(masked: readonly string[], tree: FileTree, bounds: SearchBounds): LinkedNames {
  const paths = masked.map((path) => encodeByteText(path).toString("latin1"));
  const result = new LinkedNames(tree, [], new Set(), bounds);
  const surveys = new Map<string, Survey>();
  for (const path of paths) {
    const cut = path.lastIndexOf("/");
    const directory = path.slice(0, cut) || "/";
    const survey = surveys.get(directory) ?? tree.survey(directory, bounds.entries);
    if (survey.isCut) refuseTooMany(directory, bounds);
    surveys.set(directory, survey);
    const name = path.slice(cut + 1);
    const file = survey.linked.find((linked) => linked.name === name);
    if (survey.directories.includes(name)) result.addDirectory(path);
    else if (survey.isClosed) result.closed ??= directory;
    else if (file !== undefined) result.addFile(path, file, survey.identity);
  }
  return result;
}

function refuseClosed(directory: string): never {
  const path = textOf(directory);
  throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.names-unknown", { values: { path, word: quoteArgument(path) } });
}

/** @throws PATH_RULE_UNENFORCEABLE when something denied has, or may have, a name among those that are seen */
function refuseCommon(denied: LinkedNames, seen: LinkedNames): void {
  // What is denied is mostly small; where it is not, a small project ends the search.
  while (!denied.isDone && !seen.isDone) {
    denied.advance(8);
    if (!denied.isDone) seen.advance(2);
  }
  if ((denied.isDone && denied.isEmpty) || (seen.isDone && seen.isEmpty)) return;
  for (const names of [denied, seen]) names.advance(Number.POSITIVE_INFINITY);
  const shown = seen.names;
  for (const [identity, name] of denied.names) {
    const second = shown.get(identity);
    if (second === undefined) continue;
    const [path, other] = [textOf(name), textOf(second)];
    throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.second-name", { values: { path, other, word: quoteArgument(other) } });
  }
  if (denied.closed !== undefined && !seen.isEmpty) refuseClosed(denied.closed);
  if (seen.closed !== undefined && !denied.isEmpty) refuseClosed(seen.closed);
}

/**
 * Nothing is passed over: what is denied is searched at each open, and what a command may use only where something denied has a second name.
 * @throws PATH_RULE_UNENFORCEABLE naming both names, or the directory at which the search came to its bounds
 */
export function refuseLinkedNames(rules: readonly Rule[], tree: FileTree, bounds = defaultBounds): void {
  const regions = [...new Set(rules.map(({ path }) => path))].map((path) => ({ path, access: accessAt(rules, path) }));
  const edges = new Set(regions.map(({ path }) => bytesOf(path)));
  const isInWriteRoot = ({ path }: Rule): boolean => rules.some((root) => root.effect === "write" && isBelow(path, root.path));
  const hides = rules.filter(({ effect, origin }) => effect === "hide" && origin === "policy");
  const freezes = rules.filter((rule) => rule.effect === "freeze" && (rule.origin === "policy" || isInWriteRoot(rule)));
  const isHidden = ({ path, access }: (typeof regions)[number]): boolean =>
    access === "hidden" && hides.some((rule) => isAtOrBelow(path, rule.path));
  const search = (denied: typeof regions, seen: typeof regions): void => {
    if (denied.length === 0 || seen.length === 0) return;
    const namesIn = (side: typeof regions): LinkedNames =>
      new LinkedNames(
        tree,
        side.map(({ path }) => path),
        edges,
        bounds,
      );
    refuseCommon(namesIn(denied), namesIn(seen));
  };
  search(
    regions.filter(isHidden),
    regions.filter(({ access }) => access === "read" || access === "write"),
  );
  search(
    regions.filter((region) => !isHidden(region) && freezes.some((rule) => isAtOrBelow(region.path, rule.path))),
    regions.filter(({ access }) => access === "write"),
  );
}

/**
 * The same for what a pattern matched: other names that lie nowhere inside harm nobody, and one that a pattern covers too is hidden.
 * @param masked paths as in kit/byte-text.ts
 * @throws PATH_RULE_UNENFORCEABLE naming both names, or the directory at which the search came to its bounds
 */
export function refuseShownNames(masked: readonly string[], rules: readonly Rule[], tree: FileTree, bounds = defaultBounds): void {
  if (masked.length === 0) return;
  const regions = [...new Set(rules.map(({ path }) => path))];
  const seen = regions.filter((path) => ["read", "write"].includes(accessAt(rules, path)));
  const edges = new Set([...regions.map(bytesOf), ...masked.map((path) => encodeByteText(path).toString("latin1"))]);
  refuseCommon(maskedNames(masked, tree, bounds), new LinkedNames(tree, seen, edges, bounds));
}
