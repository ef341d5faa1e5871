// Settings of srt and Claude Code that do nothing here, each with the reason: data, so that none is forgotten in silence.
import type { IdleSetting } from "./import-draft.ts";

/** Below `network`. */
export const networkSettings: readonly IdleSetting[] = [
  { path: ["allowUnixSockets"], kind: "refused", reason: "import.reason.unix-sockets" },
  { path: ["allowAllUnixSockets"], kind: "refused", reason: "import.reason.unix-sockets" },
  { path: ["allowLocalBinding"], kind: "inert", reason: "import.reason.local-binding" },
  { path: ["allowMachLookup"], kind: "inert", reason: "import.reason.other-system" },
  { path: ["httpProxyPort"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["socksProxyPort"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["tlsTerminate"], kind: "refused", reason: "import.reason.tls" },
];

/** At the top. */
export const machineSettings: readonly IdleSetting[] = [
  { path: ["ignoreViolations"], kind: "inert", reason: "import.reason.violations" },
  { path: ["enableWeakerNestedSandbox"], kind: "refused", reason: "import.reason.weaker" },
  { path: ["enableWeakerNetworkIsolation"], kind: "refused", reason: "import.reason.weaker" },
  { path: ["allowAppleEvents"], kind: "inert", reason: "import.reason.other-system" },
  { path: ["ripgrep"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["bwrapPath"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["socatPath"], kind: "inert", reason: "import.reason.own-programs" },
];
