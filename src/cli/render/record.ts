// Records of the ledger as lines: one aligned line each for `ls`, every field for `show`. All of it is escaped: argv and output are hostile.
import type { StoredRecord } from "../../contracts/ledger.ts";
import { escapeText, showArgument } from "../../kit/escape-text.ts";
import { printableJsonLine } from "../../kit/printable-json.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Paint, Style } from "../style.ts";
import { type Cell, tableLines } from "./table.ts";

const isText = (value: unknown): value is string => typeof value === "string";

/** `2025-11-29 17:23:05Z` */
function shortTime(ts: string): string {
  return escapeText(ts.replace("T", " ").replace(/\.\d+Z$/u, "Z"), 40);
}

function wordOf(record: StoredRecord): string {
  const { verdict, outcome, code, answer, exit } = record.body;
  const word = [verdict, outcome, code, answer].find(isText);
  if (word !== undefined) return escapeText(word, 60);
  if (typeof exit !== "object" || exit === null || !("kind" in exit) || !isText(exit.kind)) return "-";
  const value = "value" in exit && typeof exit.value === "number" ? ` ${exit.value}` : "";
  return escapeText(`${exit.kind}${value}`, 60);
}

function paintOf(word: string): Paint | undefined {
  if (["allow", "ok", "exited 0", "granted"].includes(word)) return "green";
  if (["deny", "denied", "refused", "lost", "timeout", "limit"].includes(word)) return "red";
  return word === "ask" || word === "failed" || word === "cancelled" ? "yellow" : undefined;
}

function commandOf(record: StoredRecord): string {
  const argv: unknown = record.detail?.["argv"];
  if (!Array.isArray(argv) || !argv.every(isText)) return "";
  return argv.map((word) => showArgument(word)).join(" ");
}

/** Time, seq, task, type, verdict or outcome, command. */
export function recordTableLines(
  records: readonly StoredRecord[],
  options: { readonly style: Style; readonly columns: number | undefined },
): string[] {
  const rows = records.map((record): readonly Cell[] => {
    const word = wordOf(record);
    const paint = paintOf(word);
    return [
      { text: shortTime(record.ts), paint: "dim" },
      { text: String(record.seq) },
      { text: record.task ?? "-" },
      { text: record.type },
      { text: word, ...(paint === undefined ? {} : { paint }) },
      { text: commandOf(record) },
    ];
  });
  return tableLines(rows, options);
}

function fieldRows(name: string, value: unknown): readonly (readonly Cell[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const shown = isText(inner) ? escapeText(inner) : printableJsonLine(inner);
    return [{ text: `${name}.${escapeText(key, 60)}` }, { text: shown }];
  });
}

/** One record in full. */
export function recordLines(record: StoredRecord, options: { readonly text: Texts; readonly style: Style }): string[] {
  const { text, style } = options;
  const heading = style("bold", `${text({ key: "cli.ledger-show.record", values: { seq: record.seq } })}  ${record.type}`);
  const rows: (readonly Cell[])[] = [[{ text: "ts" }, { text: escapeText(record.ts, 40) }]];
  if (record.task !== undefined) rows.push([{ text: "task" }, { text: record.task }]);
  if (record.action !== undefined) rows.push([{ text: "action" }, { text: escapeText(record.action, 60) }]);
  if (record.policy !== undefined) rows.push([{ text: "policy" }, { text: escapeText(record.policy, 80) }]);
  rows.push(...fieldRows("body", record.body), ...fieldRows("detail", record.detail));
  if (record.detail === undefined && record.task !== undefined)
    rows.push([{ text: "detail" }, { text: text({ key: "cli.ledger-show.no-detail" }) }]);
  return [heading, ...tableLines(rows, { style, indent: "  " })];
}
