// Bytes survive the way through text, whatever they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decodeByteText, encodeByteText, wellFormedByteText } from "./byte-text.ts";

test("encodeByteText(decodeByteText()) gives the same bytes for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => assert.deepEqual([...encodeByteText(decodeByteText(bytes))], [...bytes])),
  );
});

test("decodeByteText() is plain UTF-8 decoding where that is possible", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.equal(decodeByteText(Buffer.from(text)), text)));
});

test("decodeByteText() tells bad bytes, overlong forms and encoded surrogates apart from the replacement character", () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
    const text = decodeByteText(Uint8Array.from(bytes));
    assert.ok(!text.includes("\uFFFD") && !text.isWellFormed());
  }
});

test("wellFormedByteText() shows the byte", () => {
  assert.equal(wellFormedByteText(decodeByteText(Uint8Array.from([0x61, 0xff]))), "a\\xff");
});
