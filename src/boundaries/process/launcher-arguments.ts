// The launcher's command line: what root hands to the sandbox's own uid.
import type { SandboxPlan } from "./plan.ts";

/** Covered by a tmpfs in the launcher's private mount namespace; the host's directory is not touched. */
export const stageDirectory = "/mnt";

export function launcherArguments(plan: SandboxPlan): readonly string[] {
  const binds = plan.staged.flatMap(({ path, stage }) => ["--idmap", path, stage]);
  return ["--uid", String(plan.identity.hostUid), "--stage", stageDirectory, ...binds, "--"];
}
