// A file of Kubernetes objects, or an OCI runtime spec, judged by the Pod Security Standards. What cannot be read as it is meant, or is of a kind
// nobody here knows, is refused: it never counts as passed. INVARIANT I-14
import type { JudgedObject, PodSecurityReport, PodSecurityRequest, PodSecurityViolation } from "../../contracts/pod-security.ts";
import { PolicyError } from "../../contracts/policy-error.ts";
import type { PolicyProblem } from "../../contracts/policy-port.ts";
import { type Place, problemAt } from "../findings.ts";
import { dottedKey, lineOf } from "../key-path.ts";
import type { PlainSource } from "../plain-source.ts";
import { showValue } from "../plain-value.ts";
import { type Fault, SourceFault } from "../source-fault.ts";
import { judgeBaseline } from "./baseline-pod.ts";
import { judgeBeyond } from "./beyond-pod.ts";
import type { Offence } from "./controls.ts";
import { type Fix, patchFor } from "./json-patch.ts";
import { judgeNamespace } from "./namespace.ts";
import { noParts } from "./oci-mounts.ts";
import { judgeOci, judgeOciBeyond } from "./oci-spec.ts";
import { readDocuments } from "./read-documents.ts";
import { judgeRestricted } from "./restricted-pod.ts";
import { cursorAt, type ShapeFault } from "./spec-cursor.ts";
import { type SpecObject, specObjects } from "./spec-objects.ts";

export interface SpecSource {
  /** Shown in findings: the file's path. */
  readonly label: string;
  readonly format: "yaml" | "json";
  readonly text: string | Uint8Array;
}

export type JudgeOptions = Pick<PodSecurityRequest, "level" | "isStandardOnly">;

/** More than anybody repairs in one go; keeps a hostile file cheap. */
const maximumFindings = 2000;
const maximumFaults = 100;

/** What the readers of policies say is not the right advice about another tool's file. */
const situations: ReadonlyMap<string, string> = new Map([
  ["policy.anchor", "pod-security.anchor"],
  ["policy.alias", "pod-security.anchor"],
  ["policy.merge-key", "pod-security.anchor"],
  ["policy.tag", "pod-security.anchor"],
  ["policy.duplicate-key", "pod-security.duplicate-key"],
  ["policy.too-deep", "pod-security.too-deep"],
  ["policy.too-large", "pod-security.too-large"],
  ["pod-security.too-dense", "pod-security.too-dense"],
  ["pod-security.two-readings", "pod-security.two-readings"],
  ["pod-security.too-many-documents", "pod-security.too-many-documents"],
]);

function syntaxProblem(label: string, { situation, line, key, values }: Fault): PolicyProblem {
  const ours = situations.get(situation) ?? "pod-security.unreadable";
  return { code: "SPEC_UNREADABLE", situation: ours, label, line, key, values: { file: label, line, key, ...values } };
}

function refuse(problems: readonly PolicyProblem[]): void {
  const [first, ...rest] = problems;
  if (first !== undefined) throw new PolicyError([first, ...rest]);
}

/** @throws PolicyError SPEC_UNREADABLE with every fault of the syntax */
function readSpec({ text, format, label }: SpecSource): readonly PlainSource[] {
  try {
    return readDocuments(text, format);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    refuse(error.faults.slice(0, maximumFaults).map((fault) => syntaxProblem(label, fault)));
    throw error;
  }
}

function* offencesOf(object: SpecObject, { level, isStandardOnly }: JudgeOptions, note: (fault: ShapeFault) => void): Generator<Offence> {
  if (object.holds === "namespace") yield* judgeNamespace(object.root, level);
  if (object.holds === "oci") {
    yield* judgeOci(object.root, { level, parts: noParts, note });
    if (!isStandardOnly) yield* judgeOciBeyond(object.root);
  }
  if (object.holds !== "pod") return;
  yield* judgeBaseline(object.pod);
  if (level === "restricted") yield* judgeRestricted(object.pod);
  if (!isStandardOnly) yield* judgeBeyond(object.pod);
}

function violationOf(offence: Offence, { value: document, lines }: PlainSource): PodSecurityViolation {
  const { control, path, value, fixes } = offence;
  return {
    control: control.id,
    level: control.level,
    title: { key: control.title },
    rule: control.rule,
    path: dottedKey(path),
    line: lineOf(lines, path),
    value: value === undefined ? undefined : showValue(value),
    patch: patchFor(document, fixes),
  };
}

interface JudgedDocument {
  readonly objects: readonly JudgedObject[];
  readonly fixes: readonly Fix[];
}

/** All findings of one file, counted together. */
interface Count {
  findings: number;
}

function judgeDocument(
  source: PlainSource,
  index: number,
  { place, options, count }: { readonly place: Place; readonly options: JudgeOptions; readonly count: Count },
): JudgedDocument {
  const faults = new Map<string, PolicyProblem>();
  const note = (fault: ShapeFault): void => {
    const problem = problemAt(place, { code: "SPEC_UNREADABLE", ...fault });
    if (faults.size < maximumFaults) faults.set(`${problem.situation}\n${problem.key}`, problem);
  };
  const offences: Offence[] = [];
  const objects: JudgedObject[] = [];
  for (const object of specObjects(cursorAt(source.value, note), note)) {
    const found: Offence[] = [];
    for (const offence of offencesOf(object, options, note)) {
      found.push(offence);
      count.findings += 1;
      if (count.findings <= maximumFindings) continue;
      refuse([
        problemAt(place, { code: "SPEC_UNREADABLE", situation: "pod-security.too-many", path: [], values: { maximum: maximumFindings } }),
      ]);
    }
    offences.push(...found);
    const { kind, name, holds } = object;
    const violations = found.map((offence) => violationOf(offence, source));
    objects.push({ kind, name, document: index, isJudged: holds !== "nothing", violations });
  }
  refuse([...faults.values()].toSorted((left, right) => left.line - right.line));
  return { objects, fixes: offences.flatMap(({ fixes }) => fixes) };
}

/** @throws PolicyError SPEC_UNREADABLE */
export function judgeSpec(source: SpecSource, options: JudgeOptions): PodSecurityReport {
  const documents = readSpec(source);
  const count: Count = { findings: 0 };
  const judged = documents.map((document, index) => {
    const place: Place = { label: source.label, lines: document.lines };
    return { document, ...judgeDocument(document, index, { place, options, count }) };
  });
  const objects = judged.flatMap((each) => each.objects);
  if (!objects.some(({ isJudged }) => isJudged)) {
    // A check that looked at nothing has not passed.
    refuse([
      problemAt({ label: source.label, lines: new Map() }, { code: "SPEC_UNREADABLE", situation: "pod-security.nothing", path: [] }),
    ]);
  }
  const patches = judged.map(({ document, fixes }, index) => ({ document: index, patch: patchFor(document.value, fixes) }));
  return { file: source.label, ...options, objects, patches: patches.filter(({ patch }) => patch.length > 0) };
}
