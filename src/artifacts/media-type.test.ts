// mediaTypeOf(): a guess of the first bytes and the name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeBytes, mediaTypeOf } from "./media-type.ts";

test("mediaTypeOf() believes the first bytes before the name", () => {
  const rows: readonly (readonly [string, Uint8Array, string])[] = [
    ["a.csv", Buffer.from("a,b\n"), "text/csv"],
    ["A.CSV", Buffer.from("a,b\n"), "text/csv"],
    ["a.csv", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), "image/png"],
    ["a.xlsx", Buffer.from("PK\x03\x04"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["a.xlsx", Buffer.from("a,b\n"), "text/plain"],
    ["a", Buffer.from("PK\x03\x04"), "application/zip"],
    ["a.json", Buffer.from([0xff, 0x00]), "application/octet-stream"],
    ["a.txt", Buffer.from("a\0b"), "application/octet-stream"],
    ["empty", Buffer.alloc(0), "text/plain"],
    ["report.pdf\n", Buffer.from("%PDF-1.7"), "application/pdf"],
  ];
  for (const [name, start, expected] of rows) assert.equal(mediaTypeOf(name, start), expected, JSON.stringify(name));
});

test("mediaTypeOf() takes text for text although a character is cut where the bytes end", () => {
  const bytes = Buffer.from("é".repeat(mediaTypeBytes)).subarray(1, mediaTypeBytes + 1);
  assert.equal(mediaTypeOf("a.md", Buffer.concat([Buffer.from("x"), bytes.subarray(1)])), "text/markdown");
  assert.equal(mediaTypeOf("a.md", bytes), "application/octet-stream", "it begins within a character");
});
