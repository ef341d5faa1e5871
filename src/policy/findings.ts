// Collects the findings about one source, each with file, line and key.
import type { PolicyProblem } from "../contracts/policy-port.ts";
import { type KeyPath, type LineIndex, dottedKey, lineOf } from "./key-path.ts";

export interface Finding {
  readonly code: PolicyProblem["code"];
  /** Below `error.` of the catalogue, e.g. `policy.key-unknown`. */
  readonly situation: string;
  readonly path: KeyPath;
  readonly values?: Readonly<Record<string, string | number>>;
}

export interface Place {
  readonly label: string;
  readonly lines: LineIndex;
}

export interface Findings {
  add(finding: Finding): void;
  /** In the order of the text; one finding per key, situation and value. */
  list(): readonly PolicyProblem[];
}

/** `values` always holds `file`, `line` and `key`, so that a sentence can name the place. */
export function problemAt({ label, lines }: Place, finding: Finding): PolicyProblem {
  const line = lineOf(lines, finding.path);
  const key = dottedKey(finding.path);
  const { code, situation } = finding;
  return { code, situation, label, line, key, values: { file: label, line, key, ...finding.values } };
}

/** What is wrong at or below a key that is not built says nothing: the key has to go. */
function withoutMoot(problems: readonly PolicyProblem[]): readonly PolicyProblem[] {
  const unbuilt = problems.filter(({ situation }) => situation.startsWith("policy.key-unsupported")).map(({ key }) => key);
  const isMoot = ({ code, key }: PolicyProblem): boolean =>
    code !== "POLICY_KEY_UNSUPPORTED" &&
    unbuilt.some((above) => key === above || key.startsWith(`${above}.`) || key.startsWith(`${above}[`));
  return problems.filter((problem) => !isMoot(problem));
}

export function openFindings(place: Place): Findings {
  const found = new Map<string, PolicyProblem>();
  return {
    add: (finding) => {
      const problem = problemAt(place, finding);
      const identity = `${problem.situation}\n${JSON.stringify(problem.values)}`;
      if (!found.has(identity)) found.set(identity, problem);
    },
    list: () => withoutMoot([...found.values()]).toSorted((left, right) => left.line - right.line),
  };
}
