// One source -> a checked layer, or everything that is wrong with it.
import type { PolicyDocument } from "../contracts/policy-document.ts";
import type { PolicyFacts, PolicyFormat, PolicyProblem, PolicySource } from "../contracts/policy-port.ts";
import { type Place, openFindings } from "./findings.ts";
import { readJson } from "./json-source.ts";
import { type LayerValues, layerValues } from "./layer-values.ts";
import type { PlainSource } from "./plain-source.ts";
import { isRecord } from "./plain-value.ts";
import { checkSchema } from "./schema-findings.ts";
import { SourceFault } from "./source-fault.ts";
import { readSourceText } from "./source-text.ts";
import { checkSupported } from "./supported.ts";
import { readToml } from "./toml-source.ts";
import { checkValues } from "./value-findings.ts";
import { readYaml } from "./yaml-source.ts";

export interface Layer {
  readonly source: PolicySource;
  readonly place: Place;
  readonly document: PolicyDocument;
  readonly values: LayerValues;
}

export type LayerReading =
  | { readonly layer: Layer; readonly problems: readonly [] }
  | { readonly layer: undefined; readonly problems: readonly PolicyProblem[] };

const readers: Readonly<Record<PolicyFormat, (text: string) => PlainSource>> = { yaml: readYaml, json: readJson, toml: readToml };

function syntaxProblems({ faults }: SourceFault, label: string): readonly PolicyProblem[] {
  return faults.map(({ situation, line, key, values }) => {
    return { code: "POLICY_SYNTAX", situation, label, line, key, values: { file: label, line, key, ...values } };
  });
}

/** Flags are a fragment: nobody types the version on a command line. */
function withVersion(value: unknown, source: PolicySource): unknown {
  return source.origin === "flags" && isRecord(value) && !Object.hasOwn(value, "apiVersion")
    ? { apiVersion: "glovebox/v1", ...value }
    : value;
}

function checkDocument(plain: PlainSource, source: PolicySource, facts: PolicyFacts): LayerReading {
  const place: Place = { label: source.label, lines: plain.lines };
  const findings = openFindings(place);
  if (!isRecord(plain.value)) {
    findings.add({ code: "POLICY_SYNTAX", situation: "policy.not-a-mapping", path: [] });
    return { layer: undefined, problems: findings.list() };
  }
  const value = withVersion(plain.value, source);
  const document = checkSchema(value, findings);
  checkSupported(value, findings);
  checkValues(value, source, facts, findings);
  const problems = findings.list();
  if (document === undefined || problems.length > 0) return { layer: undefined, problems };
  return { layer: { source, place, document, values: layerValues(document) }, problems: [] };
}

/** Never throws for what a text holds. */
export function readLayer(source: PolicySource, facts: PolicyFacts): LayerReading {
  try {
    return checkDocument(readers[source.format](readSourceText(source.text)), source, facts);
  } catch (error) {
    if (error instanceof SourceFault) return { layer: undefined, problems: syntaxProblems(error, source.label) };
    throw error;
  }
}
