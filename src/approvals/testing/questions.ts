// Questions for tests.
import type { CommandQuestion, ConnectionQuestion } from "../../contracts/approval.ts";
import { type ApprovalId, approvalIdSchema } from "../../contracts/ids.ts";

export const approvalId = (number: number): ApprovalId => approvalIdSchema.parse(`q-000000000001-${number.toString(16).padStart(12, "0")}`);

const asked = { ruleId: "r", reason: "", policyHash: "sha256:0", lifetimeMs: 60_000, tell: [] } as const;

export function connectionQuestion(changes: Partial<ConnectionQuestion> = {}): ConnectionQuestion {
  const place = { task: "t-1", host: "a.test", port: 443, protocols: ["https"], process: "curl" } as const;
  return { id: approvalId(1), kind: "connection", ...asked, ...place, ...changes };
}

export function commandQuestion(changes: Partial<CommandQuestion> = {}): CommandQuestion {
  const bound = { files: [], filesInWriteRoots: [], environmentNames: [], notBound: [] };
  return { id: approvalId(1), kind: "command", argv: ["git", "push"], cwd: "/p", ...asked, ...bound, ...changes };
}
