// Situations that a source chooses while running and another turns into an error: which code each source's choices end in.
import { type ParsedModule, walk } from "../checks/parsed-module.ts";
import type { ErrorSituation } from "./error-situations.ts";

interface Choice {
  readonly file: string;
  readonly code: string;
  /** Only situations that begin so; absent: all that the source names. */
  readonly prefix?: string;
}

/** The first row that fits a situation counts. */
const choices: readonly Choice[] = [
  { file: "src/policy/schema-findings.ts", code: "POLICY_KEY_UNKNOWN", prefix: "policy.key-unknown" },
  ...[
    "schema-findings",
    "value-findings",
    "path-pattern",
    "opened-roots",
    "build-policy",
    "egress-findings",
    "egress-values",
    "observed-rules",
    "window-values",
  ].map((name) => ({
    file: `src/policy/${name}.ts`,
    code: "POLICY_VALUE_INVALID",
  })),
  { file: "src/policy/importers/import-policy.ts", code: "POLICY_KEY_UNKNOWN", prefix: "import.key-unknown" },
  { file: "src/policy/importers/import-policy.ts", code: "POLICY_SYNTAX", prefix: "import.unreadable" },
  ...["import-policy", "import-paths", "import-codex-places", "codex-profile"].map((name) => ({
    file: `src/policy/importers/${name}.ts`,
    code: "POLICY_VALUE_INVALID",
  })),
  { file: "src/contracts/policy-document.ts", code: "POLICY_VALUE_INVALID" },
  { file: "src/policy/supported.ts", code: "POLICY_KEY_UNSUPPORTED" },
  ...["yaml-source", "json-source", "toml-source", "toml-lines", "source-text"].map((name) => ({
    file: `src/policy/${name}.ts`,
    code: "POLICY_SYNTAX",
  })),
  ...[
    "policy/pod-security/judge-spec",
    "policy/pod-security/oci-spec",
    "policy/pod-security/spec-cursor",
    "policy/pod-security/spec-objects",
    "broker/policy-files",
  ].map((name) => ({
    file: `src/${name}.ts`,
    code: "SPEC_UNREADABLE",
    prefix: "pod-security.",
  })),
];

/** What shell and set-up say themselves; neither is a module that is read here. */
const spoken: readonly ErrorSituation[] = [
  { code: "SETUP_NEEDED", situation: "setup.no-node" },
  { code: "USAGE_INVALID", situation: "setup.usage" },
];

/** @param isSituation whether a literal names one; @param isKnown whether its code was read off already */
export function chosenSituations(
  modules: readonly ParsedModule[],
  is: { readonly situation: (text: string) => boolean; readonly known: (text: string) => boolean },
): ErrorSituation[] {
  const found = new Map(spoken.map((row) => [row.situation, row]));
  for (const { file, code, prefix = "" } of choices) {
    const module = modules.find((each) => each.file === file);
    for (const node of module === undefined ? [] : walk(module.program)) {
      if (node.type !== "Literal" || typeof node.value !== "string" || !node.value.startsWith(prefix)) continue;
      const situation = node.value;
      if (is.situation(situation) && !is.known(situation) && !found.has(situation)) found.set(situation, { code, situation });
    }
  }
  return [...found.values()].filter(({ situation }) => is.situation(situation));
}
