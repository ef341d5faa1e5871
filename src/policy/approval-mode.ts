// What `approval` says, as one word, and which word is narrower than which.
import type { PolicyDocument } from "../contracts/policy-document.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";

const spelled: Readonly<Record<string, ApprovalMode>> = { "auto-allow": "auto-allow", regular: "regular", never: "never" };

/** Undefined when the document says nothing, or a mode that is not built and was found already. */
export function approvalMode(approval: PolicyDocument["approval"]): ApprovalMode | undefined {
  if (approval === undefined) return undefined;
  if (typeof approval === "string") return spelled[approval];
  const { commands, egress } = approval.granular;
  if (commands === "deny") return "listed";
  return egress === "ask" ? "regular" : "commands";
}

/** As a document writes it: of two spellings of one mode always the same. */
export function spellApproval(mode: ApprovalMode): NonNullable<PolicyDocument["approval"]> {
  if (mode === "commands") return { granular: { commands: "ask" } };
  return mode === "listed" ? { granular: { commands: "deny" } } : mode;
}

const asksCommands = (mode: ApprovalMode): boolean => mode === "regular" || mode === "commands";

/**
 * Whether no command runs, or is asked about, under `mode` that would not under `base`. `never` lets run what `regular` asks and `listed` denies, and
 * denies what both ask: it is comparable with neither.
 */
export function narrowsApproval(base: ApprovalMode, mode: ApprovalMode): boolean {
  return base === mode || base === "auto-allow" || (asksCommands(base) && (mode === "listed" || asksCommands(mode)));
}

/** What holds when `mode` may only narrow `base`: a question about a connection is more than the refusal that there was, so none is added. */
export function narrowedApproval(base: ApprovalMode, mode: ApprovalMode): ApprovalMode {
  if (!narrowsApproval(base, mode)) return base;
  return mode === "regular" && base !== "regular" ? "commands" : mode;
}
