// A task's changes on a screen. Names and lines were made inside a sandbox: everything is escaped. INVARIANT I-13
import path from "node:path";
import type { Change, ChangeCounts, DiffEntry, PathState, TaskDiff } from "../../contracts/changes.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { escapeText, replaceUnsafe } from "../../kit/escape-text.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Paint, Style } from "../style.ts";

export interface DiffOptions {
  readonly text: Texts;
  readonly style: Style;
  readonly cwd: string;
}

const lineMax = 1000;

/** From here when it lies below, whole otherwise. */
function showPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  const isBelow = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  return escapeText(wellFormedByteText(isBelow ? relative : file));
}

/** Tabs stay: a diff of a Makefile without them would lie. Backslashes are not doubled, so that ordinary text can be patched. */
function showLine(line: string): string {
  const cut = line.length > lineMax ? line.slice(0, lineMax) : line;
  const escaped = replaceUnsafe(cut, (character) => (character === "\t" ? "\t" : escapeText(character)));
  return line.length > lineMax ? `${escaped}... (${line.length - lineMax} more characters)` : escaped;
}

function paintOf(line: string): Paint | undefined {
  if (line.startsWith("@@")) return "bold";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}

function showState(state: PathState | undefined, text: Texts): string {
  if (state === undefined) return text({ key: "cli.diff.state.absent" });
  const { type, size, sha256, target } = state;
  const mode = state.mode.toString(8).padStart(4, "0");
  if (type === "link") return text({ key: "cli.diff.state.link", values: { target: wellFormedByteText(target ?? "") } });
  if (type !== "file") return text({ key: type === "directory" ? "cli.diff.state.directory" : "cli.diff.state.other", values: { mode } });
  return text({ key: "cli.diff.state.file", values: { mode, size: showBytes(size ?? 0), sha256: sha256?.slice(0, 16) ?? "-" } });
}

const absentKeys: Readonly<Record<Exclude<NonNullable<DiffEntry["absent"]>, "noContent">, string>> = {
  binary: "cli.diff.absent.binary",
  tooLarge: "cli.diff.absent.too-large",
  notKept: "cli.diff.absent.not-kept",
  edited: "cli.diff.absent.edited",
};

const signs: Readonly<Record<Change["kind"], string>> = { created: "A", changed: "M", deleted: "D", mode: "P", replaced: "T" };
const paints: Readonly<Record<Change["kind"], Paint>> = {
  created: "green",
  changed: "yellow",
  deleted: "red",
  mode: "yellow",
  replaced: "yellow",
};

function headLine(change: Change, { text, style, cwd }: DiffOptions): string {
  const name = showPath(change.path, cwd);
  const from =
    change.renamedFrom === undefined
      ? ""
      : ` ${text({ key: "cli.diff.renamed-from", values: { path: showPath(change.renamedFrom, cwd) } })}`;
  const later = change.runsLater === true ? `  ${style("yellow", text({ key: "cli.diff.runs-later" }))}` : "";
  return `${style(paints[change.kind], signs[change.kind])} ${name}${from}${later}`;
}

function totalLine(counts: ChangeCounts, text: Texts): string {
  const { created, renamed, changed, replaced, deleted, mode } = counts;
  return text({ key: "cli.diff.total", values: { created, renamed, changed: changed + replaced, deleted, mode } });
}

function notes({ counts }: TaskDiff, { text, style }: DiffOptions): readonly string[] {
  const { missed, quarantined } = counts;
  return [
    ...(missed > 0 ? [style("yellow", text({ key: "task.happened.changes-missed", values: { count: missed } }))] : []),
    ...(quarantined > 0 ? [style("red", text({ key: "task.happened.quarantined", values: { count: quarantined } }))] : []),
  ];
}

/** One line for each change. */
export function statLines(diff: TaskDiff, options: DiffOptions): readonly string[] {
  const lines = diff.entries.map(({ change }) => headLine(change, options));
  return [...lines, totalLine(diff.counts, options.text), ...notes(diff, options)];
}

/** @param names of both sides, printable @param lines of hunks, as they are */
export function hunkLines({ old, now, lines }: { old: string; now: string; lines: readonly string[] }, style: Style): readonly string[] {
  const body = lines.map((line) => {
    const paint = paintOf(line);
    return paint === undefined ? showLine(line) : style(paint, showLine(line));
  });
  return [style("bold", `--- ${old}`), style("bold", `+++ ${now}`), ...body];
}

function entryLines({ change, lines, absent }: DiffEntry, options: DiffOptions): readonly string[] {
  const { text, style, cwd } = options;
  const head = headLine(change, options);
  if (lines === undefined) {
    const why = absent === undefined || absent === "noContent" ? [] : [`  ${text({ key: absentKeys[absent] })}`];
    return [head, `  ${showState(change.before, text)} -> ${showState(change.after, text)}`, ...why];
  }
  if (lines.length === 0) return [head];
  const old =
    change.before === undefined && change.renamedFrom === undefined ? "/dev/null" : `a/${showPath(change.renamedFrom ?? change.path, cwd)}`;
  const now = change.after === undefined ? "/dev/null" : `b/${showPath(change.path, cwd)}`;
  return [head, ...hunkLines({ old, now, lines }, style)];
}

/** Unified diffs, each under its head line. */
export function diffLines(diff: TaskDiff, options: DiffOptions): readonly string[] {
  return [...diff.entries.flatMap((entry) => entryLines(entry, options)), totalLine(diff.counts, options.text), ...notes(diff, options)];
}
