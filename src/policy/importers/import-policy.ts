// Settings of another tool -> a policy document, with a note for everything that does not hold as it was written. Pure. INVARIANT I-14
import path from "node:path";
import { stringify } from "yaml";
import type * as z from "zod";
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import { PolicyError } from "../../contracts/policy-error.ts";
import type { ImportedPolicy, ImportFacts, ImportSource } from "../../contracts/policy-import.ts";
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { type Findings, type Place, openFindings } from "../findings.ts";
import { readJson } from "../json-source.ts";
import type { PlainSource } from "../plain-source.ts";
import { isRecord } from "../plain-value.ts";
import { readLayer } from "../read-layer.ts";
import { checkAgainst } from "../schema-findings.ts";
import type { SchemaMap } from "../schema-map.ts";
import { SourceFault } from "../source-fault.ts";
import { readSourceText } from "../source-text.ts";
import { readToml } from "../toml-source.ts";
import { claudeCodeMap, claudeCodeSchema } from "./claude-code-settings.ts";
import { codexConfigMap, codexConfigSchema, codexRequirementsMap, codexRequirementsSchema } from "./codex-settings.ts";
import { claudeCodeBases, importClaudeCode } from "./import-claude-code.ts";
import { importCodexConfig, importCodexRequirements } from "./import-codex.ts";
import { type ImportDraft, openDraft } from "./import-draft.ts";
import { importSrt } from "./import-srt.ts";
import { srtMap, srtSettingsSchema } from "./srt-settings.ts";

interface Importer {
  readonly read: (text: string) => PlainSource;
  /** Undefined after findings. */
  readonly build: (value: unknown, findings: Findings, draft: ImportDraft) => PolicyDocument | undefined;
}

/** An importer of settings that a schema describes. */
function importerOf<Settings>(
  read: Importer["read"],
  shape: { readonly schema: z.ZodType<Settings>; readonly map: SchemaMap },
  build: (draft: ImportDraft, settings: Settings) => PolicyDocument,
): Importer {
  return {
    read,
    build: (value, findings, draft) => {
      const settings = checkAgainst(shape, value, findings);
      return settings === undefined ? undefined : build(draft, settings);
    },
  };
}

/** The file's name tells what an administrator requires from what a user sets. */
function importerFor({ from, label }: ImportSource, facts: ImportFacts): Importer {
  if (from === "srt") return importerOf(readJson, { schema: srtSettingsSchema(), map: srtMap }, importSrt);
  if (from === "claude-code") {
    const bases = claudeCodeBases(label, facts);
    const shape = { schema: claudeCodeSchema(), map: claudeCodeMap };
    return importerOf(readJson, shape, (draft, settings) => importClaudeCode(draft, settings, bases));
  }
  return path.posix.basename(label) === "requirements.toml"
    ? importerOf(readToml, { schema: codexRequirementsSchema(), map: codexRequirementsMap }, importCodexRequirements)
    : importerOf(readToml, { schema: codexConfigSchema(), map: codexConfigMap }, importCodexConfig);
}

/** What the policy room says of its own documents is not always the right advice about another tool's. */
const situations: ReadonlyMap<string, string> = new Map([
  ["policy.key-unknown", "import.key-unknown"],
  ["policy.key-unknown-near", "import.key-unknown-near"],
  ["policy.key-missing", "import.key-missing"],
  ["policy.value-invalid", "import.value-invalid"],
  ["policy.value-format", "import.value-invalid"],
  ["policy.not-a-mapping", "import.value-invalid"],
  ["policy.json-unexpected", "import.unreadable"],
  ["policy.json-end", "import.unreadable"],
  ["policy.syntax", "import.unreadable"],
]);

function refuse(problems: readonly PolicyProblem[]): void {
  const [first, ...rest] = problems.map((problem) => ({
    ...problem,
    situation: situations.get(problem.situation) ?? problem.situation,
  }));
  if (first !== undefined) throw new PolicyError([first, ...rest]);
}

/** @throws PolicyError */
function readSettings({ read }: Importer, { label, text }: ImportSource): PlainSource {
  try {
    return read(readSourceText(text));
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    refuse(
      error.faults.map(({ situation, line, key, values }) => {
        return { code: "POLICY_SYNTAX", situation, label, line, key, values: { file: label, line, key, ...values } };
      }),
    );
    throw error;
  }
}

/** Left out where it says nothing, so that the result is short to read; lists that close stay. */
function withoutEmpty(document: PolicyDocument): PolicyDocument {
  const { environment, ...rest } = document;
  return environment === undefined || Object.keys(environment).length === 0 ? rest : document;
}

/**
 * A rule that forbids and cannot be held refuses the whole: dropped, it would leave a policy that looks like the settings and is weaker.
 * @throws PolicyError with every finding; its labels and keys are those of the settings
 */
export function importPolicy(source: ImportSource, facts: ImportFacts): ImportedPolicy {
  const importer = importerFor(source, facts);
  const plain = readSettings(importer, source);
  const place: Place = { label: source.label, lines: plain.lines };
  const findings = openFindings(place);
  if (!isRecord(plain.value)) findings.add({ code: "POLICY_SYNTAX", situation: "policy.not-a-mapping", path: [] });
  const draft = openDraft(source.from, place, facts);
  const document = isRecord(plain.value) ? importer.build(plain.value, findings, draft) : undefined;
  refuse([...findings.list(), ...draft.problems()]);
  if (document === undefined) throw new TypeError("An importer gave neither a policy nor a finding");
  const result = withoutEmpty(document);
  // Whatever an importer overlooks is found by the check that every policy passes.
  refuse(readLayer({ origin: "user", label: source.label, format: "json", text: JSON.stringify(result) }, facts).problems);
  return { document: result, yaml: stringify(result, { lineWidth: 0 }), notes: draft.notes() };
}
