// One question as the lines that a person reads: what would run or connect, what the answer covers, and what it does not.
import type { ApprovalQuestion, BoundFile, CommandQuestion, NotBound } from "../../contracts/approval.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";
import { connectionRows } from "./connection-rows.ts";
import { showWord, showWords, type Shown } from "./shown-text.ts";

export interface QuestionOptions {
  readonly text: Texts;
  readonly style: Style;
}

export interface Row {
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
  "input-files": "approval.note.not-bound-input-files",
};

function fileRow(question: CommandQuestion, { role, path }: BoundFile, { text }: QuestionOptions): Row {
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

function commandRows(question: CommandQuestion, options: QuestionOptions): readonly Row[] {
  const { text } = options;
  const { argv, cwd, files, environmentNames, notBound } = question;
  return [
    { label: "approval.label.command", shown: showWords(argv, text) },
    { label: "approval.label.directory", shown: showWord(cwd, text) },
    ...files.map((file) => fileRow(question, file, options)),
    { label: "approval.label.variables", shown: namesShown(environmentNames, text), note: text({ key: "approval.note.values-bound" }) },
    ...notBound.map(({ what, name }): Row => {
      const note = text({ key: notBoundKeys[what] });
      return { label: "approval.label.not-bound", shown: name === "" ? whole("") : showWord(name, text), note };
    }),
  ];
}

function rowsOf(question: ApprovalQuestion, options: QuestionOptions): readonly Row[] {
  const { text } = options;
  const { ruleId, reason, policyHash } = question;
  return [
    ...(question.kind === "connection" ? connectionRows(question, text) : commandRows(question, options)),
    ...(ruleId === undefined ? [] : [{ label: "approval.label.rule", shown: showWord(ruleId, text) }]),
    ...(reason === "" ? [] : [{ label: "approval.label.reason", shown: showWord(reason, text) }]),
    { label: "approval.label.policy", shown: whole(policyHash) },
  ];
}

interface Words {
  readonly title: string;
  readonly covers: string;
  readonly typeCode: string;
}

const command: Words = { title: "approval.title.command", covers: "approval.covers", typeCode: "approval.type-code" };
const words: Readonly<Record<ApprovalQuestion["kind"], Words>> = {
  command,
  unsandboxed: { ...command, title: "approval.title.unsandboxed", typeCode: "approval.type-code-unsandboxed" },
  narrow: { ...command, title: "approval.title.narrow", typeCode: "approval.type-code-unsandboxed" },
  connection: {
    title: "approval.title.connection",
    covers: "approval.covers-connection",
    typeCode: "approval.type-code-connection",
  },
};

/** Nothing will hold what is asked for. */
export const isOutside = ({ kind }: ApprovalQuestion): boolean => kind === "unsandboxed" || kind === "narrow";

/** @param code the last line asks for it, and the caller leaves the cursor behind it; undefined: nobody is asked here */
export function questionLines(question: ApprovalQuestion, code: string | undefined, options: QuestionOptions): readonly string[] {
  const { text, style } = options;
  const isLoud = isOutside(question);
  const { title, covers, typeCode } = words[question.kind];
  const rows = rowsOf(question, options);
  const rule = style(isLoud ? "red" : "bold", (isLoud ? "!" : "-").repeat(60));
  const lines = rows.map(({ label, shown, note }) => {
    const about = note === undefined ? "" : style("dim", `(${note})`);
    return `  ${[style("bold", text({ key: label })), shown.text, about].filter((part) => part !== "").join(" ")}`;
  });
  return [
    rule,
    style(isLoud ? "red" : "bold", text({ key: title })),
    ...(isLoud ? [style("red", text({ key: "approval.no-wall" }))] : []),
    ...lines,
    ...(rows.some(({ shown }) => shown.isCut) ? [style("yellow", text({ key: "approval.is-cut" }))] : []),
    text({ key: covers, values: { time: showDuration(question.lifetimeMs) } }),
    ...(code === undefined ? [] : [text({ key: typeCode, values: { code } })]),
  ];
}
