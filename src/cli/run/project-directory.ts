// The project of a call: `--project`, else the git top level above the current directory, else the current directory.
// It looks for `.git` itself and never runs git. Never `/`, the home directory, or anything above it: a project is writable by default.
import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { holdsDirectory } from "../../kit/holds-directory.ts";
import { usageError } from "../usage-error.ts";
import { realDirectory } from "./real-directory.ts";

async function canonicalDirectory(directory: string): Promise<string> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw usageError("usage.directory-missing", { directory });
  return realDirectory(directory);
}

const policyNames = ["glovebox.yaml", "glovebox.yml", "glovebox.json", "glovebox.toml"] as const;

/**
 * From `start` upwards, while the directory has the same owner and is not writable by everybody: a `.git` that somebody else put into `/tmp`
 * must not make `/tmp` the project.
 */
async function* ownAncestors(start: string, home: string): AsyncGenerator<string> {
  const owner = (await stat(start)).uid;
  for (let directory = start; !holdsDirectory(directory, home); directory = path.dirname(directory)) {
    const found = await lstat(directory);
    if (found.uid !== owner || (found.mode & 0o002) !== 0) return;
    yield directory;
  }
}

async function gitTopLevel(start: string, home: string): Promise<string | undefined> {
  for await (const directory of ownAncestors(start, home)) {
    const git = await lstat(path.join(directory, ".git")).catch(() => undefined);
    if (git !== undefined && (git.isDirectory() || git.isFile())) return directory;
  }
  return undefined;
}

/**
 * A policy above the project that was found would not be read. A command may make a `.git` below the top of the project, or take the one at the
 * top away: that must not be how the next call loses what the policy denies. INVARIANT I-15
 */
async function refusePolicyAbove(directory: string, home: string): Promise<void> {
  for await (const above of ownAncestors(path.dirname(directory), home)) {
    for (const name of policyNames) {
      const file = path.join(above, name);
      const isThere = (await lstat(file).catch(() => undefined)) !== undefined;
      if (isThere) throw usageError("usage.policy-above", { directory, file, above });
    }
  }
}

/**
 * @param asked the value of `--project`, absolute
 * @returns absolute and canonical
 * @throws USAGE_INVALID when it does not exist, would be `/`, the home directory or above, or was not asked for and lies below a policy
 */
export async function findProjectDirectory(
  asked: string | undefined,
  options: { readonly cwd: string; readonly home: string },
): Promise<string> {
  const home = await realpath(options.home).catch(() => options.home);
  const start = await canonicalDirectory(asked ?? options.cwd);
  const found = asked === undefined ? await gitTopLevel(start, home) : undefined;
  const directory = found ?? start;
  if (holdsDirectory(directory, home)) throw usageError("usage.project-too-wide", { directory });
  if (asked === undefined) await refusePolicyAbove(directory, home);
  return directory;
}
