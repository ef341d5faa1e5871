// What a bridge says, however its bytes are cut; and what no bridge says.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cellBounds } from "../../contracts/cells.ts";
import { BridgeBroken, DocumentReader } from "./read-documents.ts";

const lines = (...documents: readonly unknown[]): Buffer => Buffer.from(documents.map((one) => `${JSON.stringify(one)}\n`).join(""));
const stream = (text: string) => ({ kind: "stream", name: "stdout", text }) as const;

test("DocumentReader reads the same documents however their bytes are cut", () => {
  const documents = [
    stream("\u5317\u4eac \u{1f600}"),
    { kind: "result", data: { "text/plain": "42" } },
    { kind: "end", status: "ok", count: 1 },
  ];
  const bytes = lines(...documents);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (places) => {
      const reader = new DocumentReader();
      const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length];
      const found = cuts.slice(1).flatMap((end, index) => reader.read(bytes.subarray(cuts[index], end)));
      assert.deepEqual(found, documents);
    }),
  );
});

test("DocumentReader refuses what is no document, more documents than a bridge says, and more bytes", () => {
  const refused: readonly Buffer[] = [
    Buffer.from("garbage\n"),
    Buffer.from("\n"),
    Buffer.from([0xff, 0xfe, 0x0a]),
    lines(null),
    lines({ kind: "end", status: "ok", more: 1 }),
    lines({ kind: "display", data: { "application/x-own": "x" } }),
    lines({ kind: "display", data: { "text/plain": 1 } }),
    lines({ kind: "stream", name: "stdin", text: "" }),
    lines({ kind: "cut", characters: -1 }),
    Buffer.concat(Array.from({ length: cellBounds.documents + 1 }, () => lines(stream("")))),
  ];
  for (const bytes of refused) assert.throws(() => new DocumentReader().read(bytes), BridgeBroken, bytes.subarray(0, 60).toString());
  const reader = new DocumentReader();
  const part = Buffer.alloc(8 << 20, 0x20);
  const readAll = (): void => {
    for (let read = 0; read <= cellBounds.bytes; read += part.length) reader.read(part);
  };
  assert.throws(readAll, BridgeBroken, "a line that never ends");
});
