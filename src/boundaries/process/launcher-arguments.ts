// The launcher's command line: what root hands to the sandbox's own uid.
import type { SandboxPlan } from "./plan.ts";

export function launcherArguments(plan: SandboxPlan): readonly string[] {
  const binds = plan.staged.flatMap(({ path, stage, isReadOnly }) => [isReadOnly ? "--idmap-ro" : "--idmap", path, stage]);
  const groups = plan.limits.cgroups.flatMap(({ joinFile }) => ["--join", joinFile]);
  return ["--uid", String(plan.identity.hostUid), "--stage", plan.stageDirectory, ...groups, ...binds, "--"];
}
