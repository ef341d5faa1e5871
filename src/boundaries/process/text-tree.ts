// A file tree made of text, for tests of the planner: path -> content, or `-> target` for a link. Directories follow from the paths.
import type { Entry, FileTree } from "./file-tree.ts";
import { ancestorsOf, childOf, isAtOrBelow } from "./paths.ts";

/** What differs from one hard link and modes 0644 and 0755. */
export type TextAttributes = Readonly<Record<string, Partial<Pick<Entry, "links" | "mode" | "identity">>>>;

/** @param tree what the others say of the same files */
const surveyOf =
  ({ look, list }: Pick<FileTree, "look" | "list">): FileTree["survey"] =>
  (directory, most) => {
    const names = list(directory);
    const entries = names.slice(0, most).map(({ name, kind }) => ({ name, kind, entry: look(childOf(directory, name)) }));
    const linked = entries.flatMap(({ name, kind, entry }) =>
      kind === "directory" || entry === undefined || entry.links < 2 ? [] : [{ name, identity: entry.identity, links: entry.links }],
    );
    return {
      directories: entries.filter(({ kind }) => kind === "directory").map(({ name }) => name),
      linked,
      isClosed: look(directory)?.mode === 0,
      identity: look(directory)?.identity,
      entries: entries.length,
      isCut: names.length > most,
    };
  };

/** @param untold below this path the file system tells of no change */
export function textTree(files: Readonly<Record<string, string>>, attributes: TextAttributes = {}, untold?: string): FileTree {
  const directories = new Set(["/", ...Object.keys(files).flatMap(ancestorsOf)]);
  const lookAt = (path: string): Entry | undefined => {
    const text = files[path];
    if (text !== undefined)
      return { kind: text.startsWith("-> ") ? "link" : "file", links: 1, mode: 0o644, identity: path, ...attributes[path] };
    return directories.has(path) ? { kind: "directory", links: 2, mode: 0o755, identity: path, ...attributes[path] } : undefined;
  };
  const linkTarget = (path: string): string | undefined => (lookAt(path)?.kind === "link" ? files[path]?.slice(3) : undefined);
  const canonical = (absolute: string): string | undefined => {
    let result = "/";
    for (const name of absolute.split("/").filter(Boolean)) {
      const next = name === ".." ? result.slice(0, result.lastIndexOf("/")) || "/" : childOf(result, name);
      const target = linkTarget(next);
      const real = target === undefined ? next : canonical(target.startsWith("/") ? target : `${result}/${target}`);
      if (real === undefined || lookAt(real) === undefined) return undefined;
      result = real;
    }
    return result;
  };
  // Links on the way are followed, as lstat(2) does; the last step is not.
  const look = (path: string): Entry | undefined => {
    const cut = path.lastIndexOf("/");
    const above = canonical(path.slice(0, cut));
    return above === undefined ? undefined : lookAt(childOf(above, path.slice(cut + 1)));
  };
  const list: FileTree["list"] = (directory) => {
    const prefix = directory === "/" ? "/" : `${directory}/`;
    const below = [...directories, ...Object.keys(files)].filter((path) => path.startsWith(prefix) && path !== "/");
    const names = [...new Set(below.map((path) => path.slice(prefix.length).split("/")[0] ?? ""))].filter(Boolean);
    return names.map((name) => ({ name, kind: look(childOf(directory, name))?.kind ?? "other" }));
  };
  const canReach = (path: string): boolean => ((look(path)?.mode ?? 0) & 0o005) !== 0;
  const tellsOfChanges = (path: string): boolean => untold === undefined || !isAtOrBelow(path, untold);
  return {
    look,
    survey: surveyOf({ look, list }),
    list,
    names: (directory) => list(directory).map(({ name }) => name),
    canReach,
    linkTarget,
    canonical,
    tellsOfChanges,
    text: (path) => files[path],
  };
}
