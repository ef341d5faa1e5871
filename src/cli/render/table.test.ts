// tableLines() aligns by terminal columns, cuts to the terminal, and paints after measuring.
import assert from "node:assert/strict";
import { test } from "node:test";
import { displayWidth } from "../../kit/display-width.ts";
import { createStyle, type Style } from "../style.ts";
import { tableLines } from "./table.ts";

const plain: Style = (_paint, text) => text;
const cells = (...texts: readonly string[]) => texts.map((text) => ({ text }));

test("tableLines() aligns East Asian and Latin cells alike, without spaces at the end", () => {
  assert.deepEqual(tableLines([cells("任务", "x"), cells("a", "y"), cells("abcde", "")], { style: plain }), [
    "任务   x",
    "a      y",
    "abcde",
  ]);
});

test("tableLines() cuts to the columns, indent included", () => {
  const lines = tableLines([cells("name", "任务".repeat(50))], { style: plain, indent: "  ", columns: 20 });
  assert.ok(displayWidth(lines[0] ?? "") <= 20);
  assert.match(lines[0] ?? "", /\.\.\.$/u);
});

test("tableLines() lets one long cell push only its own row", () => {
  const lines = tableLines([cells("x".repeat(60), "1"), cells("a", "2")], { style: plain, maximumCell: 10 });
  assert.equal(lines[1], `a${" ".repeat(11)}2`);
});

test("tableLines() paint changes no width", () => {
  const style = createStyle({ env: {}, isPlain: false, isTerminal: true });
  const [painted = ""] = tableLines([[{ text: "ab", paint: "red" }, { text: "c" }]], { style });
  assert.equal(painted, "\u001B[31mab  \u001B[39mc");
});
