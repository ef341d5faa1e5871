// Which paths the deny globs of a policy cover. Pure; says the same as judgeRead of the policy room, which a boundary may not ask.
import type { PathPolicy } from "../../contracts/boundary.ts";
import { walkGlob } from "../../kit/path-glob.ts";

/** Paths that an allow names exactly and nothing denies: no glob covers them. */
export function exemptPaths({ allowRead, allowWrite, denyRead }: PathPolicy): readonly string[] {
  return [...allowRead, ...allowWrite].filter((path) => !denyRead.includes(path));
}

/** The text of the glob that denies the path or one above it. */
export function globThatDenies(paths: PathPolicy, path: string): string | undefined {
  const exempt = exemptPaths(paths);
  return paths.denyReadGlobs?.find(({ segments }) => walkGlob(segments, path).matches.some((match) => !exempt.includes(match)))?.text;
}
