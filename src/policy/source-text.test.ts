// Bytes that are not text, and texts that are too long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SourceFault } from "./source-fault.ts";
import { maximumSourceBytes, readSourceText } from "./source-text.ts";

function fault(source: string | Uint8Array): string {
  try {
    readSourceText(source);
    return "";
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return `${error.faults[0].situation} ${error.faults[0].line}`;
  }
}

test("readSourceText() drops one byte order mark and makes line ends alike", () => {
  assert.equal(readSourceText("\uFEFFa\r\nb\rc\n"), "a\nb\nc\n");
  assert.equal(readSourceText(Buffer.from([0xef, 0xbb, 0xbf, 0x61])), "a");
});

test("readSourceText() names the line of bytes that are not text", () => {
  assert.equal(fault(Buffer.from([0x61, 0x0a, 0x0a, 0xff, 0x0a])), "policy.not-utf8 3");
  assert.equal(fault(Buffer.from([0xc0, 0x80])), "policy.not-utf8 1");
  assert.equal(fault(Buffer.from([0xed, 0xa0, 0x80])), "policy.not-utf8 1");
  assert.equal(fault("a\nb\0"), "policy.nul-byte 2");
  assert.equal(fault("\ud800"), "policy.not-utf8 0");
  assert.equal(fault(Buffer.from("a\0\0\0", "utf16le")), "policy.nul-byte 1");
});

test("readSourceText() refuses more than a person writes", () => {
  assert.equal(fault("a".repeat(maximumSourceBytes)), "");
  assert.equal(fault("a".repeat(maximumSourceBytes + 1)), "policy.too-large 0");
  assert.equal(fault("é".repeat(maximumSourceBytes / 2 + 1)), "policy.too-large 0");
});
