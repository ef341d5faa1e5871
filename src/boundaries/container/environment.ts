// Fits the broker's environment to a container: names of places that it does not have are replaced by its own. Nothing is added but TMPDIR.
import type { HostUser } from "../../contracts/boundary.ts";
import { fallbackPath, homeInside, temporaryInside } from "./inside.ts";

/** Search directories of a template: programs lie in /usr alone. */
function isSearched(entry: string): boolean {
  return /^\/(?:usr(?:\/local)?\/)?s?bin\/*$/u.test(entry) || (entry.startsWith("/usr/") && !entry.split("/").includes(".."));
}

function searchPath(given: string): string {
  const kept = given.split(":").filter(isSearched);
  return kept.length === 0 ? fallbackPath : [...new Set(kept)].join(":");
}

export function containerEnvironment(
  given: Readonly<Record<string, string>>,
  user: Pick<HostUser, "home" | "name">,
  nameInside: string,
): Readonly<Record<string, string>> {
  const result: Record<string, string> = { ...given, TMPDIR: temporaryInside };
  const { PATH, HOME } = given;
  if (PATH !== undefined) result["PATH"] = searchPath(PATH);
  if (HOME === user.home) result["HOME"] = homeInside;
  for (const name of ["USER", "LOGNAME"]) if (given[name] === user.name) result[name] = nameInside;
  return result;
}
