// createTerminalFilter(): colours and layout pass, everything that steers a terminal is shown as text, however the bytes are cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createTerminalFilter } from "./terminal-filter.ts";

const encoder = new TextEncoder();

function filterWhole(input: string | Uint8Array): string {
  const filter = createTerminalFilter();
  return filter.push(typeof input === "string" ? encoder.encode(input) : input) + filter.end();
}

test("createTerminalFilter() passes text, line feeds, tabs, carriage returns and backspace", () => {
  const text = "a\tb\r\n任务 é \u{1F600}\b\n";
  assert.equal(filterWhole(text), text);
});

test("createTerminalFilter() passes colours and resets them at the end", () => {
  assert.equal(filterWhole("\u001B[1;38;2;1;2;3mx"), "\u001B[1;38;2;1;2;3mx\u001B[0m");
});

test("createTerminalFilter() shows cursor moves, titles, clipboard writes, queries, 8-bit controls and reordering as text", () => {
  const hostile = [
    "\u001B[2J",
    "\u001B]0;t\u0007",
    "\u001B]52;c;eA==\u001B\\",
    "\u001B[6n",
    "\u001BP+q\u001B\\",
    "\u009B31m",
    "\u001Bc",
    "\u202Etxt",
    "\u0000",
  ];
  for (const input of hostile) assert.doesNotMatch(filterWhole(input), /[\p{Cc}\u202E]/u, JSON.stringify(input));
  assert.equal(filterWhole(Uint8Array.from([0x9b, 0x33, 0x31, 0x6d])), "\uFFFD31m");
});

test("createTerminalFilter() gives the same text however the bytes are cut", () => {
  const piece = fc.constantFrom(
    "a",
    "\u001B[31m",
    "\u001B[1;4m",
    "\u001B",
    "[",
    "3",
    ";",
    "1",
    "m",
    "任",
    "\u{1F600}",
    "\n",
    "\u202E",
    "]",
    "\u0007",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 6 }), (pieces, cuts) => {
      const bytes = encoder.encode(pieces.join(""));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const filter = createTerminalFilter();
      let shown = "";
      for (const [index, start] of places.slice(0, -1).entries()) shown += filter.push(bytes.subarray(start, places[index + 1]));
      assert.equal(shown + filter.end(), filterWhole(bytes));
    }),
  );
});

test("createTerminalFilter() knows a colour and a wide character that arrive byte by byte", () => {
  const filter = createTerminalFilter();
  let shown = "";
  for (const byte of encoder.encode("\u001B[1;31m任\u001B[2J")) shown += filter.push(Uint8Array.of(byte));
  assert.equal(shown + filter.end(), "\u001B[1;31m任\\x1b[2J\u001B[0m");
});

test("createTerminalFilter() does not hoard a sequence that never ends", () => {
  const filter = createTerminalFilter();
  assert.ok(filter.push(encoder.encode(`\u001B[${"1;".repeat(5000)}`)).length > 9000);
});
