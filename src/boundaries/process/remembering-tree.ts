// A file tree for one plan: each question is asked once, so that a plan is cheaper and agrees with itself. What changes meanwhile is found
// out afterwards, by whoever compares the finished view with the plan.
import type { FileTree } from "./file-tree.ts";
import { childOf } from "./paths.ts";

function remembering<Answer>(ask: (path: string) => Answer): (path: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (path) => {
    const found = known.get(path) ?? { answer: ask(path) };
    known.set(path, found);
    return found.answer;
  };
}

/** Has a step that is no name, so that what lies above it is not what it is cut from. */
const hasOddStep = /\/\.{0,2}(?:\/|$)/u;

/** The way to a place is looked at a step at a time, and most of it is known: the kernel would walk all of it for each. */
function steppingCanonical(tree: FileTree, look: FileTree["look"]): FileTree["canonical"] {
  const canonical = remembering((path: string): string | undefined => {
    if (hasOddStep.test(path)) return tree.canonical(path);
    const entry = look(path);
    if (entry === undefined) return undefined;
    if (entry.kind === "link") return tree.canonical(path);
    const cut = path.lastIndexOf("/");
    if (cut === 0) return path;
    const above = canonical(path.slice(0, cut));
    return above === undefined ? tree.canonical(path) : childOf(above, path.slice(cut + 1));
  });
  return canonical;
}

export function rememberingTree(tree: FileTree): FileTree {
  const look = remembering((path) => tree.look(path));
  return {
    ...tree,
    look,
    names: remembering((path) => tree.names(path)),
    canonical: steppingCanonical(tree, look),
  };
}
