// The places that a policy tells of questions of one kind, each once.
import type { ToldPlace } from "../contracts/approval.ts";
import type { ApprovalRule } from "../contracts/policy-document.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";

export function toldOf({ approvals }: Pick<CompiledPolicy, "approvals">, kind: ApprovalRule["on"]): readonly ToldPlace[] {
  const places = new Map<string, ToldPlace>();
  for (const { on, by, ca } of approvals) {
    if (on !== kind) continue;
    for (const url of by) places.set(JSON.stringify([url, ca]), ca === undefined ? { url } : { url, ca });
  }
  return [...places.values()];
}
