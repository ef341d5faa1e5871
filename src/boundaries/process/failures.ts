// Turns what bubblewrap and the launcher say on their way into the errors that tell a person what to do.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { launcherError } from "../../linux/linux.ts";
import { captiveError } from "../../captive/captive.ts";
import { bubblewrapMinimum } from "./tools.ts";

export interface LaunchFailure {
  readonly sandboxId: string;
  readonly bubblewrapPath: string;
  readonly guardPath: string;
  /** What it wrote to stderr, bounded. */
  readonly stderr: string;
  /** Why it could not even be started, e.g. `EAGAIN`; undefined when it was. */
  readonly startError?: string | undefined;
}

function unavailable(situation: string, values: Readonly<Record<string, string | number>>): GloveboxError {
  return new GloveboxError("WALL_UNAVAILABLE", situation, { values });
}

/** bubblewrap's own words about namespaces that the kernel or its administrator refuses. */
const namespaceRefusals = [
  /No permissions to creat\w+ new namespace/u,
  /Creating new namespace failed/u,
  /setting up uid map/u,
  /max_user_namespaces/u,
  /unshare.*namespace/u,
];

/** EAGAIN of fork(2) and clone(2): the caller has as many processes as it may have. Nobody forbade namespaces. */
const processRefusal = /^bwrap: (?:Creating new namespace failed|Can't fork[^:]*): Resource temporarily unavailable/mu;

/** True for a text in which a helper, or the attempt to start one, says that there may be no more processes. */
export function isOutOfProcesses(text: string): boolean {
  return processRefusal.test(text) || /\bEAGAIN\b/u.test(text);
}

const wholeLine = /^launcher: whole\n/mu;

/** What the launcher's other half has said of the view: whole, or that it failed; undefined: nothing yet. */
export function isViewWhole(stderr: string): boolean | undefined {
  if (wholeLine.test(stderr)) return true;
  return launcherError(stderr) === undefined ? undefined : false;
}

/** What is said of failures alone. */
export const withoutWhole = (stderr: string): string => stderr.replace(wholeLine, "");

export function launchError(failure: LaunchFailure): GloveboxError | undefined {
  if (failure.startError === "EAGAIN") return unavailable("wall.process-limit", { path: failure.bubblewrapPath, detail: "EAGAIN" });
  const detail = failure.stderr.trim().split("\n").slice(-3).join("; ").slice(0, 500);
  if (detail === "") return undefined;
  const ofLauncher = launcherError(failure.stderr);
  if (ofLauncher !== undefined) return ofLauncher;
  const captive = captiveError(failure.stderr);
  if (captive !== undefined) return captive;
  if (/^guard: this build leaves no layer out$/mu.test(failure.stderr)) return unavailable("wall.test-layers", { path: failure.guardPath });
  if (/^bwrap: Unknown option/mu.test(failure.stderr)) {
    const needed = `${bubblewrapMinimum.major}.${bubblewrapMinimum.minor}`;
    return unavailable("wall.bubblewrap-old", { path: failure.bubblewrapPath, needed, detail });
  }
  if (processRefusal.test(failure.stderr)) return unavailable("wall.process-limit", { path: failure.bubblewrapPath, detail });
  if (namespaceRefusals.some((pattern) => pattern.test(failure.stderr))) {
    return unavailable("wall.user-namespaces", { path: failure.bubblewrapPath, detail });
  }
  return new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-failed", { values: { sandbox: failure.sandboxId, detail } });
}
