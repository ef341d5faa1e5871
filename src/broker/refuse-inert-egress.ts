// Refuses a policy that allows connections where nothing could let one through: a rule that does nothing must not look as if it did. INVARIANT I-14
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";

/** Some connection may be allowed. */
export function opensConnections({ egress }: CompiledPolicy): boolean {
  return egress.local.length > 0 || egress.rules.some(({ verdict }) => verdict === "allow");
}

/** @throws POLICY_KEY_INERT */
export function refuseInertEgress(policy: CompiledPolicy): void {
  if (opensConnections(policy)) throw new GloveboxError("POLICY_KEY_INERT", "run.egress-inert");
}
