// The places that a policy tells of questions of one kind, each once.
import type { ApprovalRule } from "../contracts/policy-document.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";

export function toldOf({ approvals }: Pick<CompiledPolicy, "approvals">, kind: ApprovalRule["on"]): readonly string[] {
  return [...new Set(approvals.filter(({ on }) => on === kind).flatMap(({ by }) => by))];
}
