// Settings of sandbox-runtime -> a policy. Where it reads everything that no rule denies, a sandbox here shows the default view.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import type { KeyPath } from "../key-path.ts";
import { importCredentials } from "./import-credentials.ts";
import { entriesOf, type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";
import { importHosts } from "./import-hosts.ts";
import { importPaths, patternOf, withoutTies } from "./import-paths.ts";
import { machineSettings, networkSettings } from "./idle-settings.ts";
import type { SrtSettings } from "./srt-settings.ts";

const idle: readonly IdleSetting[] = [
  ...networkSettings.map((setting) => ({ ...setting, path: ["network", ...setting.path] })),
  ...machineSettings,
  { path: ["network", "mitmProxy"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["network", "parentProxy"], kind: "inert", reason: "import.reason.parent-proxy" },
  { path: ["filesystem", "disabled"], kind: "refused", reason: "import.reason.disabled" },
  { path: ["filesystem", "allowGitConfig"], kind: "refused", reason: "import.reason.git-config" },
  { path: ["allowPty"], kind: "inert", reason: "import.reason.other-system" },
  { path: ["mandatoryDenySearchDepth"], kind: "inert", reason: "import.reason.search-depth" },
  { path: ["seccomp"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["javaAgentJarPath"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["git", "safeDirectories"], kind: "inert", reason: "import.reason.safe-directories" },
  { path: ["windows"], kind: "inert", reason: "import.reason.other-system" },
];

export function importSrt(draft: ImportDraft, settings: SrtSettings): PolicyDocument {
  const { network, filesystem } = settings;
  const pathsAt = (name: "allowRead" | "denyRead" | "allowWrite" | "denyWrite"): readonly Entry[] =>
    entriesOf(filesystem[name], ["filesystem", name]).map((entry) => ({ ...entry, text: patternOf(entry.text, draft.facts.base) }));
  const credentials = importCredentials(draft, settings.credentials, ["credentials"]);
  const hidden = credentials.files.map((entry) => ({ ...entry, text: patternOf(entry.text, draft.facts.base) }));
  const allowRead = pathsAt("allowRead");
  noteIdle(draft, settings, idle);
  draft.note("stricter", ["filesystem", "denyRead"] satisfies KeyPath, "import.reason.default-view");
  return {
    apiVersion: "glovebox/v1",
    metadata: { name: "srt" },
    filesystem: importPaths(draft, {
      allowRead,
      denyRead: [...withoutTies(draft, pathsAt("denyRead"), allowRead), ...hidden],
      allowWrite: pathsAt("allowWrite"),
      denyWrite: pathsAt("denyWrite"),
    }),
    environment: credentials.environment,
    ...importHosts(draft, {
      allowed: entriesOf(network.allowedDomains, ["network", "allowedDomains"]),
      denied: entriesOf(network.deniedDomains, ["network", "deniedDomains"]),
      deniedAddresses: entriesOf(network.deniedResolvedAddresses, ["network", "deniedResolvedAddresses"]),
      reasons: network.deniedDomainReasons ?? {},
    }),
  };
}
