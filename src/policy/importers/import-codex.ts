// Codex's `config.toml` and `requirements.toml` -> a policy. The old keys (`sandbox_mode`) and the new ones (`default_permissions`) do not mix:
// where an old one stands, it holds.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import type { KeyPath } from "../key-path.ts";
import { codexEnvironment } from "./codex-environment.ts";
import { codexNetwork } from "./codex-network.ts";
import { resolveProfile } from "./codex-profile.ts";
import type { CodexConfig, CodexRequirements } from "./codex-settings.ts";
import { entriesOf, type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";
import { codexPaths, workspacePaths } from "./import-codex-places.ts";
import { importPaths, patternOf, type PathEntries } from "./import-paths.ts";
import { importHosts } from "./import-hosts.ts";

type SandboxMode = NonNullable<CodexConfig["sandbox_mode"]>;
type ApprovalPolicy = NonNullable<CodexConfig["approval_policy"]>;
type Approval = Pick<PolicyDocument, "approval">;
type Reached = Pick<PolicyDocument, "filesystem" | "egress" | "allowLocal">;

const idle: readonly IdleSetting[] = [
  { path: ["features", "network_proxy"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["projects"], kind: "inert", reason: "import.reason.trust" },
  { path: ["windows"], kind: "inert", reason: "import.reason.other-system" },
];

/** Whoever runs outside Codex's sandbox without being asked runs inside here, without being asked. */
function approvalOf(draft: ImportDraft, policy: ApprovalPolicy | undefined, at: KeyPath = ["approval_policy"]): Approval {
  if (policy === undefined) return {};
  if (typeof policy === "object") {
    const { sandbox_approval: asksOut, rules } = policy.granular;
    draft.note("stricter", [...at, "granular"], "import.reason.granular");
    return { approval: asksOut || rules ? "auto-allow" : "never" };
  }
  if (policy === "never") return { approval: "never" };
  if (policy === "untrusted") {
    draft.note("stricter", at, "import.reason.untrusted");
    return { approval: { granular: { commands: "ask" } } };
  }
  draft.note("refused", at, "import.reason.escalation");
  return { approval: "auto-allow" };
}

const nothing: PathEntries = { allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] };

function writableRoots(draft: ImportDraft, { sandbox_workspace_write: settings }: CodexConfig): readonly Entry[] {
  return entriesOf(settings?.writable_roots, ["sandbox_workspace_write", "writable_roots"]).flatMap((entry): readonly Entry[] => {
    const text = patternOf(entry.text, undefined);
    if (text.startsWith("/") || text.startsWith("~")) return [{ ...entry, text }];
    draft.note("refused", entry.path, "import.reason.path-shape", { value: entry.text });
    return [];
  });
}

function oldStyle(draft: ImportDraft, config: CodexConfig): Reached {
  const mode: SandboxMode = config.sandbox_mode ?? "read-only";
  const at = ["sandbox_mode"];
  draft.note("stricter", at, "import.reason.default-view");
  if (mode === "danger-full-access") draft.note("refused", at, "import.reason.full-access");
  if (config.sandbox_mode === undefined) draft.note("inert", at, "import.reason.no-mode");
  if (config.sandbox_workspace_write?.network_access === true)
    draft.note("refused", ["sandbox_workspace_write", "network_access"], "import.reason.network-all");
  const isWriting = mode !== "read-only";
  if (isWriting) draft.note("stricter", at, "import.reason.own-tree", { value: "/tmp" });
  const roots = [{ text: ".", path: at }, ...writableRoots(draft, config)];
  return { filesystem: importPaths(draft, isWriting ? workspacePaths(roots) : nothing), egress: [], allowLocal: [] };
}

function newStyle(draft: ImportDraft, { permissions = {} }: CodexConfig, name: string): Reached {
  const at = ["default_permissions"];
  const isFull = name === ":danger-full-access";
  if (isFull) draft.note("refused", at, "import.reason.full-access");
  const profile = resolveProfile(draft, permissions, isFull ? ":workspace" : name, at);
  return {
    filesystem: importPaths(draft, codexPaths(draft, profile)),
    ...importHosts(draft, codexNetwork(draft, profile.network, profile.networkAt)),
  };
}

export function importCodexConfig(draft: ImportDraft, config: CodexConfig): PolicyDocument {
  const { default_permissions: name, sandbox_mode: mode } = config;
  const isNew = name !== undefined && mode === undefined;
  noteIdle(draft, config, idle);
  if (config.approvals_reviewer === "auto_review") draft.note("refused", ["approvals_reviewer"], "import.reason.reviewer");
  if (name !== undefined && !isNew) draft.note("inert", ["default_permissions"], "import.reason.old-style");
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: "codex" },
    ...approvalOf(draft, config.approval_policy),
    ...(isNew ? newStyle(draft, config, name) : oldStyle(draft, config)),
    environment: codexEnvironment(draft, config.shell_environment_policy),
  };
}

/** What an administrator lets a user choose from: the widest choice becomes the policy, since the user's own file may still narrow it. */
export function importCodexRequirements(draft: ImportDraft, requirements: CodexRequirements): PolicyDocument {
  const { allowed_sandbox_modes: modes, allowed_approval_policies: policies, experimental_network: network } = requirements;
  noteIdle(draft, requirements, [{ path: ["allowed_permission_profiles"], kind: "inert", reason: "import.reason.profiles-elsewhere" }]);
  if (modes?.includes("danger-full-access") === true) draft.note("refused", ["allowed_sandbox_modes"], "import.reason.full-access");
  if (policies !== undefined && policies.length > 1) draft.note("inert", ["allowed_approval_policies"], "import.reason.first-choice");
  draft.note("stricter", ["allowed_sandbox_modes"], "import.reason.default-view");
  const isWriting = modes === undefined || modes.some((mode) => mode !== "read-only");
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: "codex-requirements" },
    ...approvalOf(draft, policies?.[0], ["allowed_approval_policies"]),
    filesystem: importPaths(draft, isWriting ? workspacePaths([{ text: ".", path: ["allowed_sandbox_modes"] }]) : nothing),
    ...importHosts(draft, codexNetwork(draft, network, ["experimental_network"])),
  };
}
