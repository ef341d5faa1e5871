// Finds the host programs that build the wall: in fixed system directories or at the paths of our own installation, never through the
// caller's PATH, which an agent may have written.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { type GuardProbe, parseProbe } from "../../guard/guard.ts";
import { capture } from "../../kit/spawn.ts";
import { isExecutable } from "../../linux/linux.ts";

const systemToolDirectories = ["/usr/bin", "/usr/local/bin"] as const;

/** `--disable-userns` came with 0.8.0. */
export const bubblewrapMinimum = { major: 0, minor: 8 } as const;

export function findBubblewrap(configured: string | undefined): string | undefined {
  const candidates = configured === undefined ? systemToolDirectories.map((directory) => `${directory}/bwrap`) : [configured];
  return candidates.find(isExecutable);
}

/** @throws WALL_UNAVAILABLE */
export function requireBubblewrap(configured?: string): string {
  const found = findBubblewrap(configured);
  if (found !== undefined) return found;
  throw new GloveboxError("WALL_UNAVAILABLE", "wall.bubblewrap-missing", { values: { path: configured ?? "/usr/bin/bwrap" } });
}

/** `bubblewrap 0.8.0` -> `0.8.0`; undefined when the program does not answer. */
export async function bubblewrapVersion(file: string): Promise<string | undefined> {
  try {
    const { code, stdout } = await capture(file, ["--version"]);
    return code === 0 ? /(\d+\.\d+(?:\.\d+)?)/u.exec(stdout)?.[1] : undefined;
  } catch {
    return undefined; // a program that cannot be started has no version; the caller refuses
  }
}

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > bubblewrapMinimum.major || (major === bubblewrapMinimum.major && minor >= bubblewrapMinimum.minor);
}

/** What `guard probe` says of this kernel; undefined when the guard cannot be run. */
export async function guardProbe(guardPath: string): Promise<GuardProbe | undefined> {
  try {
    const { code, stdout } = await capture(guardPath, ["probe"]);
    return code === 0 ? parseProbe(stdout) : undefined;
  } catch {
    return undefined; // as above
  }
}
