// What `approval` says, as one word, and which word is narrower than which.
import type { PolicyDocument } from "../contracts/policy-document.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";

const spelled: Readonly<Record<string, ApprovalMode>> = { "auto-allow": "auto-allow", regular: "regular", never: "never" };

/** Undefined when the document says nothing, or a mode that is not built and was found already. */
export function approvalMode(approval: PolicyDocument["approval"]): ApprovalMode | undefined {
  if (approval === undefined) return undefined;
  if (typeof approval === "string") return spelled[approval];
  return approval.granular.commands === "ask" ? "regular" : "listed";
}

/** As a document writes it: of two spellings of one mode always the same. */
export function spellApproval(mode: ApprovalMode): NonNullable<PolicyDocument["approval"]> {
  return mode === "listed" ? { granular: { commands: "deny" } } : mode;
}

/**
 * Whether nothing runs, or is asked, under `mode` that would not under `base`. `never` lets run what `regular` asks and `listed` denies, and
 * denies what both ask: it is comparable with neither.
 */
export function narrowsApproval(base: ApprovalMode, mode: ApprovalMode): boolean {
  return base === mode || base === "auto-allow" || (base === "regular" && mode === "listed");
}
