// The files of the working tree that somebody wrote: no dependencies, no outputs. Needs no git, so that a copy can be checked too.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const outputs = new Set(["node_modules", "build", "bundle", "dist", ".git"]);

/** @returns paths relative to `root`, sorted */
export function listFiles(root: string, patterns: readonly string[]): string[] {
  const found = globSync([...patterns], { cwd: root, withFileTypes: true, exclude: (entry) => outputs.has(entry.name) });
  // In a linked worktree `.git` is a file, which a pattern may name: only what is below a directory is left out by `exclude`.
  const written = found.filter((entry) => entry.isFile() && !outputs.has(entry.name));
  const files = written.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  return [...new Set(files)].toSorted();
}

export const readText = (root: string, file: string): string => readFileSync(path.join(root, file), "utf8");

export const isTest = (file: string): boolean => file.endsWith(".test.ts");

/** 1 for the first line. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}
