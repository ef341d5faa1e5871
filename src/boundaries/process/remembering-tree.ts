// A file tree for one plan: each question is asked once, so that a plan is cheaper and agrees with itself. What changes meanwhile is found
// out afterwards, by whoever compares the finished view with the plan.
import type { FileTree } from "./file-tree.ts";

function remembering<Answer>(ask: (path: string) => Answer): (path: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (path) => {
    const found = known.get(path) ?? { answer: ask(path) };
    known.set(path, found);
    return found.answer;
  };
}

export function rememberingTree(tree: FileTree): FileTree {
  return {
    ...tree,
    look: remembering((path) => tree.look(path)),
    names: remembering((path) => tree.names(path)),
    canonical: remembering((path) => tree.canonical(path)),
  };
}
