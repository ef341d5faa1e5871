// Turns what bubblewrap and the launcher say on their way into the errors that tell a person what to do.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { bubblewrapMinimum } from "./tools.ts";

export interface LaunchFailure {
  readonly sandboxId: string;
  readonly bubblewrapPath: string;
  /** What it wrote to stderr, bounded. */
  readonly stderr: string;
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

const launcherLine = /^launcher: idmap (.*) (\S+)$/mu;

export function launchError(failure: LaunchFailure): GloveboxError | undefined {
  const detail = failure.stderr.trim().split("\n").slice(-3).join("; ").slice(0, 500);
  if (detail === "") return undefined;
  const [, mapped, errno] = launcherLine.exec(failure.stderr) ?? [];
  if (mapped !== undefined && errno !== undefined) return unavailable("wall.idmap", { path: mapped, detail: errno });
  if (/^bwrap: Unknown option/mu.test(failure.stderr)) {
    const needed = `${bubblewrapMinimum.major}.${bubblewrapMinimum.minor}`;
    return unavailable("wall.bubblewrap-old", { path: failure.bubblewrapPath, needed, detail });
  }
  if (namespaceRefusals.some((pattern) => pattern.test(failure.stderr))) {
    return unavailable("wall.user-namespaces", { path: failure.bubblewrapPath, detail });
  }
  return new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-failed", { values: { sandbox: failure.sandboxId, detail } });
}
