// Gives an open sandbox the rules about connections of a policy that was read anew. Its other walls stand: what else the policy says is for the next one.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import type { OpenTask } from "./open-task.ts";
import { opensConnections } from "./task-egress.ts";

/** Keys of which a reload brings all that they say. */
const brought: ReadonlySet<string> = new Set(["metadata", "egress", "allowLocal", "egressBytes", "egressConnections", "tests"]);

/** All else that a policy says, as text. Two canonical documents have their keys in the same order. */
const beyondConnections = ({ document }: CompiledPolicy): string =>
  JSON.stringify(document, (name, value: unknown) => (brought.has(name) ? undefined : value));

/** @throws WALL_UNAVAILABLE where nothing can ever leave, and when it could not be recorded: then the new rules hold all the same */
export async function reloadRules(
  { egress, policy: opened, identity }: Pick<OpenTask, "egress" | "policy" | "identity">,
  policy: CompiledPolicy,
): Promise<ReloadedRules> {
  const { sandbox } = identity;
  if (egress === undefined && opensConnections(policy.egress))
    throw new GloveboxError("WALL_UNAVAILABLE", "sandbox.no-way-out", { values: { sandbox } });
  const endedConnections = (await egress?.reload(policy)) ?? 0;
  return { sandbox, policyHash: policy.hash, endedConnections, isPartial: beyondConnections(policy) !== beyondConnections(opened) };
}
