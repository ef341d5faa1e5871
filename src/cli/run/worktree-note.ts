// A linked worktree whose repository the policy does not show: inside, git says only that there is none. Asked when a command has failed.
// What the project says is read as hostile text: nothing that it names is opened.
import { lstat, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { PathPolicy } from "../../contracts/boundary.ts";
import type { Door, RunRequest, RunResult } from "../../contracts/door.ts";
import type { Sentence } from "../../contracts/sentence.ts";

/** A pointer is one line; what is longer is none. */
const pointerBytesMax = 8192;

const isWithin = (place: string, root: string): boolean => place === root || place.startsWith(root === "/" ? root : `${root}/`);

/** The repository that `.git` of a linked worktree points to. */
async function repositoryOf(projectDirectory: string): Promise<string | undefined> {
  const pointer = path.join(projectDirectory, ".git");
  const found = await lstat(pointer).catch(() => undefined);
  if (found?.isFile() !== true || found.size > pointerBytesMax) return undefined;
  const text = await readFile(pointer, "utf8").catch(() => "");
  const [, gitDirectory] = /^gitdir: ([^\n]+)\n?$/u.exec(text) ?? [];
  const [, repository] = /^(.+)\/worktrees\/[^/]+\/?$/u.exec(gitDirectory ?? "") ?? [];
  if (repository === undefined) return undefined;
  return realpath(path.resolve(projectDirectory, repository)).catch(() => undefined);
}

/**
 * @param rules asked for only where a repository lies elsewhere
 * @returns the directory that git misses inside, or undefined when this is no linked worktree or the policy shows its repository
 */
export async function absentRepository(projectDirectory: string, rules: () => Promise<PathPolicy>): Promise<string | undefined> {
  const repository = await repositoryOf(projectDirectory);
  if (repository === undefined || isWithin(repository, projectDirectory)) return undefined;
  const { allowRead, allowWrite } = await rules();
  return [...allowRead, ...allowWrite].some((root) => isWithin(repository, root)) ? undefined : repository;
}

/** What to say after a command that failed. */
export async function worktreeNote(
  door: Pick<Door, "policy">,
  { policy }: RunRequest,
  { child }: RunResult,
): Promise<Sentence | undefined> {
  if (child?.kind !== "exited" || child.value === 0) return undefined;
  const directory = await absentRepository(policy.projectDirectory, async () => (await door.policy(policy)).paths);
  return directory === undefined ? undefined : { key: "cli.run.repository-absent", values: { directory } };
}
