// One question as the lines that a person reads: what would run, what the answer covers, and what it does not.
import type { ApprovalQuestion, BoundFile, NotBound } from "../../contracts/approval.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";
import { showWord, showWords, type Shown } from "./shown-text.ts";

export interface QuestionOptions {
  readonly text: Texts;
  readonly style: Style;
}

interface Row {
  readonly label: string;
  readonly shown: Shown;
  readonly note?: string;
}

const whole = (text: string): Shown => ({ text, isCut: false });
const maximumNames = 60;

const roleKeys: Readonly<Record<BoundFile["role"], string>> = {
  program: "approval.label.program",
  interpreter: "approval.label.interpreter",
  operand: "approval.label.operand",
  input: "approval.label.input",
};

const notBoundKeys: Readonly<Record<NotBound["what"], string>> = {
  "live-input": "approval.note.not-bound-live-input",
  program: "approval.note.not-bound-program",
  operand: "approval.note.not-bound-operand",
};

function fileRow(question: ApprovalQuestion, { role, path }: BoundFile, { text }: QuestionOptions): Row {
  const isPlanted = question.filesInWriteRoots.includes(path);
  const note = text({ key: isPlanted ? "approval.note.bound-in-root" : "approval.note.bound" });
  return { label: roleKeys[role], shown: role === "input" ? whole("") : showWord(path, text), note };
}

function namesShown(names: readonly string[], text: Texts): Shown {
  const left = names.length - maximumNames;
  const list = names.slice(0, maximumNames).map((name) => showWord(name, text).text);
  const more = left > 0 ? [`[${text({ key: "approval.cut-names", values: { count: left } })}]`] : [];
  return { text: [...list, ...more].join(", "), isCut: left > 0 };
}

function rowsOf(question: ApprovalQuestion, options: QuestionOptions): readonly Row[] {
  const { text } = options;
  const { argv, cwd, files, environmentNames, notBound, ruleId, reason, policyHash } = question;
  return [
    { label: "approval.label.command", shown: showWords(argv, text) },
    { label: "approval.label.directory", shown: showWord(cwd, text) },
    ...files.map((file) => fileRow(question, file, options)),
    { label: "approval.label.variables", shown: namesShown(environmentNames, text), note: text({ key: "approval.note.values-bound" }) },
    ...notBound.map(({ what, name }): Row => {
      const note = text({ key: notBoundKeys[what] });
      return { label: "approval.label.not-bound", shown: name === "" ? whole("") : showWord(name, text), note };
    }),
    ...(ruleId === undefined ? [] : [{ label: "approval.label.rule", shown: showWord(ruleId, text) }]),
    ...(reason === "" ? [] : [{ label: "approval.label.reason", shown: showWord(reason, text) }]),
    { label: "approval.label.policy", shown: whole(policyHash) },
  ];
}

const titles = {
  command: "approval.title.command",
  unsandboxed: "approval.title.unsandboxed",
  narrow: "approval.title.narrow",
} as const;

/** The last line asks for the code; the caller leaves the cursor behind it. */
export function questionLines(question: ApprovalQuestion, code: string, options: QuestionOptions): readonly string[] {
  const { text, style } = options;
  const isOutside = question.kind !== "command";
  const rows = rowsOf(question, options);
  const rule = style(isOutside ? "red" : "bold", (isOutside ? "!" : "-").repeat(60));
  const lines = rows.map(({ label, shown, note }) => {
    const about = note === undefined ? "" : style("dim", `(${note})`);
    return `  ${[style("bold", text({ key: label })), shown.text, about].filter((part) => part !== "").join(" ")}`;
  });
  return [
    rule,
    style(isOutside ? "red" : "bold", text({ key: titles[question.kind] })),
    ...(isOutside ? [style("red", text({ key: "approval.no-wall" }))] : []),
    ...lines,
    ...(rows.some(({ shown }) => shown.isCut) ? [style("yellow", text({ key: "approval.is-cut" }))] : []),
    text({ key: "approval.covers", values: { time: showDuration(question.lifetimeMs) } }),
    text({ key: isOutside ? "approval.type-code-unsandboxed" : "approval.type-code", values: { code } }),
  ];
}
