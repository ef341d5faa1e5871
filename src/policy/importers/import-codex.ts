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
function approvalOf(draft: ImportDraft, policy: ApprovalPolicy | undefined, at: KeyPath): Approval {
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

/** What is said about `/tmp` and `TMPDIR`: neither is the host's. */
const temporary = ["exclude_tmpdir_env_var", "exclude_slash_tmp"].map((name): IdleSetting => {
  return { path: ["sandbox_workspace_write", name], kind: "inert", reason: "import.reason.own-temporary" };
});

function noteUnchosen(draft: ImportDraft, { permissions = {} }: CodexConfig, chosen: readonly string[]): void {
  for (const name of Object.keys(permissions))
    if (!chosen.includes(name)) draft.note("inert", ["permissions", name], "import.reason.permissions-unchosen");
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

function oldStyle(draft: ImportDraft, config: CodexConfig, at: KeyPath): Reached {
  const mode: SandboxMode = config.sandbox_mode ?? "read-only";
  draft.note("stricter", at, "import.reason.default-view");
  if (mode === "danger-full-access") draft.note("refused", at, "import.reason.full-access");
  if (config.sandbox_mode === undefined) draft.note("inert", at, "import.reason.no-mode");
  if (config.sandbox_workspace_write?.network_access === true)
    draft.note("refused", ["sandbox_workspace_write", "network_access"], "import.reason.network-all");
  const isWriting = mode !== "read-only";
  if (isWriting) draft.note("stricter", at, "import.reason.own-tree", { value: "/tmp" });
  noteIdle(draft, config, temporary);
  noteUnchosen(draft, config, []);
  const roots = [{ text: ".", path: at }, ...writableRoots(draft, config)];
  return { filesystem: importPaths(draft, isWriting ? workspacePaths(roots) : nothing), egress: [], allowLocal: [] };
}

function newStyle(draft: ImportDraft, config: CodexConfig, name: string): Reached {
  const at = ["default_permissions"];
  const isFull = name === ":danger-full-access";
  if (isFull) draft.note("refused", at, "import.reason.full-access");
  const profile = resolveProfile(draft, config.permissions ?? {}, isFull ? ":workspace" : name, at);
  noteUnchosen(draft, config, profile.names);
  return {
    filesystem: importPaths(draft, codexPaths(draft, profile)),
    ...importHosts(draft, codexNetwork(draft, profile.network, profile.networkAt)),
  };
}

interface Chosen {
  readonly config: CodexConfig;
  /** Where a key that a profile may have stands. */
  readonly at: (key: "sandbox_mode" | "approval_policy" | "approvals_reviewer") => KeyPath;
}

/** The profile that the file itself chooses stands over it, key by key; one chosen on Codex's command line is not known here. */
function chosenProfile(draft: ImportDraft, config: CodexConfig): Chosen {
  const { profile: name, profiles = {} } = config;
  const chosen = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (name !== undefined && chosen === undefined) draft.refuse(["profile"], "import.profile-unknown", name);
  for (const other of Object.keys(profiles)) if (other !== name) draft.note("inert", ["profiles", other], "import.reason.profile-unchosen");
  if (name === undefined || chosen === undefined) return { config, at: (key) => [key] };
  const { sandbox_mode: mode, approval_policy: policy, approvals_reviewer: reviewer } = chosen;
  const over = {
    ...(mode === undefined ? {} : { sandbox_mode: mode }),
    ...(policy === undefined ? {} : { approval_policy: policy }),
    ...(reviewer === undefined ? {} : { approvals_reviewer: reviewer }),
  };
  return { config: { ...config, ...over }, at: (key) => (chosen[key] === undefined ? [key] : ["profiles", name, key]) };
}

export function importCodexConfig(draft: ImportDraft, written: CodexConfig): PolicyDocument {
  const { config, at } = chosenProfile(draft, written);
  const { default_permissions: name, sandbox_mode: mode } = config;
  const isNew = name !== undefined && mode === undefined;
  noteIdle(draft, config, idle);
  if (config.approvals_reviewer === "auto_review") draft.note("refused", at("approvals_reviewer"), "import.reason.reviewer");
  if (name !== undefined && !isNew) draft.note("inert", ["default_permissions"], "import.reason.old-style");
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: "codex" },
    ...approvalOf(draft, config.approval_policy, at("approval_policy")),
    ...(isNew ? newStyle(draft, config, name) : oldStyle(draft, config, at("sandbox_mode"))),
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
