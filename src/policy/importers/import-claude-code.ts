// Claude Code's sandbox settings -> a policy. What it would run outside its sandbox runs inside here, without a question.
import path from "node:path";
import type { CommandRule, PolicyDocument } from "../../contracts/policy-document.ts";
import type { ImportFacts } from "../../contracts/policy-import.ts";
import { followRules, type PathBases } from "./claude-code-rules.ts";
import type { ClaudeCodeSettings } from "./claude-code-settings.ts";
import { machineSettings, networkSettings } from "./idle-settings.ts";
import { importCredentials } from "./import-credentials.ts";
import { entriesOf, type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";
import { importHosts } from "./import-hosts.ts";
import { importPaths, patternOf, withoutTies } from "./import-paths.ts";

type SandboxSettings = NonNullable<ClaudeCodeSettings["sandbox"]>;

const idle: readonly IdleSetting[] = [
  { path: ["allowUnsandboxedCommands"], kind: "refused", reason: "import.reason.unsandboxed" },
  ...networkSettings.map((setting) => ({ ...setting, path: ["network", ...setting.path] })),
  { path: ["network", "allowManagedDomainsOnly"], kind: "inert", reason: "import.reason.managed" },
  { path: ["filesystem", "allowManagedReadPathsOnly"], kind: "inert", reason: "import.reason.managed" },
  { path: ["filesystem", "disabled"], kind: "refused", reason: "import.reason.disabled" },
  ...machineSettings,
  { path: ["allowNestedUserNamespaces"], kind: "refused", reason: "import.reason.nested" },
];

/** There a person names what the tool may reach beside the project; here only the policy opens a place. */
const idlePermissions: readonly IdleSetting[] = [
  { path: ["additionalDirectories"], kind: "stricter", reason: "import.reason.additional-directories" },
];

/** Of a file `X/.claude/settings.json`: X, and for a user's own the `.claude` itself. Anywhere else: the project. */
export function claudeCodeBases(label: string, { home, projectDirectory }: ImportFacts): PathBases {
  const directory = path.posix.dirname(label);
  if (path.posix.basename(directory) !== ".claude") return { relative: undefined, settings: undefined };
  const owner = path.posix.dirname(directory);
  const base = owner === home ? directory : owner;
  const relative = base === projectDirectory ? undefined : base;
  return { relative, settings: relative };
}

/** `docker`, `docker *` and `docker:*` are the words that a command begins with; any other pattern is none of words. */
function excludedCommands(draft: ImportDraft, { excludedCommands: texts }: SandboxSettings): readonly CommandRule[] {
  return entriesOf(texts, ["sandbox", "excludedCommands"]).flatMap(({ text, path: at }, index): readonly CommandRule[] => {
    draft.note("refused", at, "import.reason.excluded", { value: text });
    const words = text
      .replace(/(?::\*| \*)$/u, "")
      .split(/\s+/u)
      .filter((word) => word !== "");
    if (words.length === 0 || /[*"'`$\\;&|<>()]/u.test(words.join(" "))) return [];
    return [{ id: `claude-code-${index + 1}`, match: { argvPrefix: words }, verdict: "allow" }];
  });
}

/** Only what is said: whether a tool asks a person first is otherwise the tool's own matter. */
function approvalOf({ autoAllowBashIfSandboxed: isAutomatic }: SandboxSettings): Pick<PolicyDocument, "approval"> {
  if (isAutomatic === undefined) return {};
  return { approval: isAutomatic ? "auto-allow" : { granular: { commands: "ask" } } };
}

function noteSwitches(draft: ImportDraft, sandbox: SandboxSettings): void {
  if (sandbox.enabled !== true) draft.note("refused", ["sandbox", "enabled"], "import.reason.always");
  // Not said is the same there, but nobody has asked for it then.
  if (sandbox.failIfUnavailable === false) draft.note("refused", ["sandbox", "failIfUnavailable"], "import.reason.no-fallback");
  noteIdle(draft, sandbox, idle, ["sandbox"]);
  draft.note("stricter", ["sandbox", "filesystem"], "import.reason.default-view");
}

export function importClaudeCode(draft: ImportDraft, settings: ClaudeCodeSettings, bases: PathBases): PolicyDocument {
  const { sandbox = {}, permissions = {} } = settings;
  const { network = {}, filesystem = {} } = sandbox;
  const at = (text: string): string => patternOf(text.replace(/^\/\//u, "/"), bases.relative);
  const pathsAt = (name: "allowRead" | "denyRead" | "allowWrite" | "denyWrite"): readonly Entry[] =>
    entriesOf(filesystem[name], ["sandbox", "filesystem", name]).map((entry) => ({ ...entry, text: at(entry.text) }));
  noteSwitches(draft, sandbox);
  noteIdle(draft, permissions, idlePermissions, ["permissions"]);
  const rules = followRules(draft, permissions, bases);
  const credentials = importCredentials(draft, sandbox.credentials, ["sandbox", "credentials"]);
  const hidden = credentials.files.map((entry) => ({ ...entry, text: at(entry.text) }));
  const commands = excludedCommands(draft, sandbox);
  const allowRead = pathsAt("allowRead");
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: "claude-code" },
    ...approvalOf(sandbox),
    filesystem: importPaths(draft, {
      allowRead,
      denyRead: [...withoutTies(draft, pathsAt("denyRead"), allowRead), ...rules.denyRead, ...hidden],
      // The directory where it works is always writable there.
      allowWrite: [{ text: ".", path: ["sandbox", "filesystem", "allowWrite"] }, ...pathsAt("allowWrite")],
      denyWrite: [...pathsAt("denyWrite"), ...rules.denyWrite],
    }),
    environment: credentials.environment,
    ...(commands.length === 0 ? {} : { commands: [...commands] }),
    ...importHosts(draft, {
      allowed: [...entriesOf(network.allowedDomains, ["sandbox", "network", "allowedDomains"]), ...rules.allowedHosts],
      denied: [...entriesOf(network.deniedDomains, ["sandbox", "network", "deniedDomains"]), ...rules.deniedHosts],
    }),
  };
}
