// Rows of cells -> aligned lines; widths are terminal columns, so Chinese and English line up alike. Cells arrive escaped.
import { cutToWidth, displayWidth, padToWidth } from "../../kit/display-width.ts";
import type { Paint, Style } from "../style.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

export interface TableOptions {
  readonly style: Style;
  readonly indent?: string;
  /** Columns of the terminal: longer lines are cut. Undefined (a pipe or a file) cuts nothing. */
  readonly columns?: number | undefined;
  /** No column but the last grows past this; a longer cell pushes its own row only. */
  readonly maximumCell?: number;
}

const gap = "  ";

function columnWidths(rows: readonly (readonly Cell[])[], maximum: number): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, Math.min(displayWidth(cell.text), maximum));
  }
  return widths;
}

/** Pads every cell but the last of a row, cuts to the terminal, then paints (paint has no width). */
export function tableLines(rows: readonly (readonly Cell[])[], options: TableOptions): string[] {
  const widths = columnWidths(rows, options.maximumCell ?? 40);
  const indent = options.indent ?? "";
  return rows.map((row) => {
    let left = (options.columns ?? Number.POSITIVE_INFINITY) - displayWidth(indent);
    let line = indent;
    for (const [index, cell] of row.entries()) {
      const isLast = index === row.length - 1;
      const padded = isLast ? cell.text : padToWidth(cell.text, widths[index] ?? 0) + gap;
      const shown = cutToWidth(padded, Math.max(0, left));
      left -= displayWidth(shown);
      line += cell.paint === undefined ? shown : options.style(cell.paint, shown);
    }
    return line.trimEnd();
  });
}
