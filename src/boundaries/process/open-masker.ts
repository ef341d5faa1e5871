// The masker's part in opening a sandbox: when it is needed, and what its look through the tree changes.
import type { SandboxId } from "../../contracts/ids.ts";
import type { WallReport } from "../../contracts/boundary.ts";
import type { LandlockRule } from "./landlock-plan.ts";
import { Masker } from "./masker.ts";
import type { SandboxPlan } from "./plan.ts";
import { accessInView } from "./view.ts";

/** Outside write roots Landlock holds what the masker hides, too. */
function isForLandlock({ view }: SandboxPlan, path: string): boolean {
  return accessInView(view, path) === "read";
}

/** It starts beside the sandbox, and waits for it. Undefined when mounts hold every denial. */
export function startMasker(program: string, sandbox: SandboxId, plan: SandboxPlan): Masker | undefined {
  return plan.masks === undefined ? undefined : new Masker(program, sandbox, plan.masks, (path) => isForLandlock(plan, path));
}

/**
 * @param guardPid 0: only look (a test without the outer wall)
 * @returns the Landlock rules without what is masked now
 * @throws PATH_RULE_UNENFORCEABLE also when something masked is shown under another name
 */
export async function openMasker(masker: Masker, plan: SandboxPlan, guardPid: number): Promise<readonly LandlockRule[]> {
  const { found, named } = await masker.open(guardPid);
  plan.refuseSecondNames(named);
  return plan.landlockRulesWithout(found);
}

export function maskerLayer(masker: Masker | undefined, { masks }: SandboxPlan): WallReport["layers"] {
  const ready = masker?.ready;
  if (ready === undefined) return [];
  const detail = `${ready.directories} directories watched, ${ready.masks} matches masked, looked through in ${(ready.scanUs / 1000).toFixed(1)} ms`;
  const untold =
    masks?.untold === undefined ? [] : [{ name: "strict", detail: `${masks.untold} does not tell of changes: every open is mediated` }];
  return [{ name: "masker", detail }, ...untold];
}
