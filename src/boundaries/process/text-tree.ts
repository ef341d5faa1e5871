// A file tree made of text, for tests of the planner: path -> content, or `-> target` for a link. Directories follow from the paths.
import type { Entry, FileTree } from "./file-tree.ts";
import { ancestorsOf, childOf } from "./paths.ts";

/** @param links hard links of a file where they are not one */
export function textTree(files: Readonly<Record<string, string>>, links: Readonly<Record<string, number>> = {}): FileTree {
  const directories = new Set(["/", ...Object.keys(files).flatMap(ancestorsOf)]);
  const look = (path: string): Entry | undefined => {
    const text = files[path];
    if (text !== undefined) return { kind: text.startsWith("-> ") ? "link" : "file", links: links[path] ?? 1 };
    return directories.has(path) ? { kind: "directory", links: 2 } : undefined;
  };
  const linkTarget = (path: string): string | undefined => (look(path)?.kind === "link" ? files[path]?.slice(3) : undefined);
  const canonical = (absolute: string): string | undefined => {
    let result = "/";
    for (const name of absolute.split("/").filter(Boolean)) {
      const next = name === ".." ? result.slice(0, result.lastIndexOf("/")) || "/" : childOf(result, name);
      const target = linkTarget(next);
      const real = target === undefined ? next : canonical(target.startsWith("/") ? target : `${result}/${target}`);
      if (real === undefined || look(real) === undefined) return undefined;
      result = real;
    }
    return result;
  };
  const names = (directory: string): readonly string[] => {
    const prefix = directory === "/" ? "/" : `${directory}/`;
    const below = [...directories, ...Object.keys(files)].filter((path) => path.startsWith(prefix) && path !== "/");
    return [...new Set(below.map((path) => path.slice(prefix.length).split("/")[0] ?? ""))].filter(Boolean);
  };
  return { look, list: names, linkTarget, canonical, text: (path) => files[path] };
}
