// The names by which a denied path passes through links. A rule denies where they lead; whoever replaces a link, which is text that a sandbox
// of the same project may have written, puts something else behind the name, and the person denied that too. INVARIANT I-05, I-15
import { posix } from "node:path";
import type { FileTree } from "./file-tree.ts";
import { ancestorsOf, childOf } from "./paths.ts";
import { canonicalPath } from "./rules.ts";

/** As many links as the kernel follows, path_resolution(7). */
const linksMax = 40;

/** The first link on the way, by its canonical place, and what a path says after it. */
function firstLink(tree: FileTree, absolute: string): { readonly link: string; readonly rest: string } | undefined {
  const step = [...ancestorsOf(absolute), absolute].find((path) => tree.look(path)?.kind === "link");
  if (step === undefined) return undefined;
  return { link: childOf(canonicalPath(tree, posix.dirname(step)), posix.basename(step)), rest: absolute.slice(step.length) };
}

/**
 * Each name with canonical ancestors as far as its link, and as written behind it.
 * @param absolute as a person wrote it
 */
export function namesThroughLinks(tree: FileTree, absolute: string): readonly string[] {
  const names: string[] = [];
  for (let path = absolute; names.length < linksMax;) {
    const found = firstLink(tree, path);
    const target = found === undefined ? undefined : tree.linkTarget(found.link);
    if (found === undefined || target === undefined) break;
    names.push(`${found.link}${found.rest}`);
    path = posix.resolve(posix.dirname(found.link), `${target}${found.rest}`);
  }
  return names;
}
