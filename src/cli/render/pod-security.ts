// What the Pod Security Standards say of a file: for a person, and as data.
import type { ControlLevel, JudgedObject, PodSecurityReport, PodSecurityViolation } from "../../contracts/pod-security.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJsonLine } from "../../kit/printable-json.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";

/** Literal keys, so that each is known to exist. */
const levels: Readonly<Record<ControlLevel, string>> = {
  baseline: "pod-security.level.baseline",
  restricted: "pod-security.level.restricted",
  beyond: "pod-security.level.beyond",
};

export interface RenderOptions {
  readonly text: Texts;
  readonly style: Style;
}

/** `pod.yaml:7: spec.hostPID is true: Host Namespaces (baseline)`, then what is allowed and the patch. */
function violationLines(file: string, violation: PodSecurityViolation, { text, style }: RenderOptions): readonly string[] {
  const { title, rule, level, path, line, value, patch } = violation;
  const place = style("bold", line > 0 ? `${escapeText(file)}:${line}:` : `${escapeText(file)}:`);
  const state =
    value === undefined
      ? text({ key: "pod-security.field-absent", values: { path } })
      : text({ key: "pod-security.field-is", values: { path, value } });
  const fix =
    patch.length === 0
      ? text({ key: "pod-security.no-patch" })
      : text({ key: "pod-security.patch", values: { patch: printableJsonLine(patch, 4000) } });
  return [`${place} ${state}: ${text(title)} (${text({ key: levels[level] })})`, `  ${text(rule)}`, `  ${style("dim", fix)}`];
}

function objectLines(file: string, { kind, name, isJudged, violations }: JudgedObject, options: RenderOptions): readonly string[] {
  const { text } = options;
  const values = { kind, name, count: violations.length };
  if (!isJudged) return [text({ key: "pod-security.object-podless", values })];
  if (violations.length === 0) return [text({ key: "pod-security.object-passes", values })];
  const head = text({ key: "pod-security.object-violates", values });
  return [head, ...violations.flatMap((violation) => violationLines(file, violation, options))];
}

export const podSecurityLines = ({ file, objects }: PodSecurityReport, options: RenderOptions): readonly string[] =>
  objects.flatMap((object) => objectLines(file, object, options));

export const violationCount = ({ objects }: PodSecurityReport): number =>
  objects.reduce((sum, { violations }) => sum + violations.length, 0);

export function podSecurityJson(report: PodSecurityReport, text: Texts) {
  const { file, level, isStandardOnly, objects, patches } = report;
  return {
    file,
    level,
    standardOnly: isStandardOnly,
    passes: violationCount(report) === 0,
    objects: objects.map(({ violations, isJudged, ...object }) => ({
      ...object,
      judged: isJudged,
      violations: violations.map(({ title, rule, value, ...rest }) => ({
        ...rest,
        title: text(title),
        rule: text(rule),
        value: value ?? null,
      })),
    })),
    patches,
  };
}
