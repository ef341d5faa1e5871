// Unit tests of the framing of one record.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { crc32c, encodeFrame, holdsWholeFrame, maximumRecordBytes, readFrame } from "./frame.ts";
import { checksum } from "./verify/frames.ts";

test("crc32c() gives the check value of RFC 3720 and agrees with the verifier's", () => {
  assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283);
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.equal(checksum(bytes), crc32c(bytes));
    }),
  );
});

test("readFrame() reads back what encodeFrame() wrote, and nothing from any cut of it", () => {
  const record = Buffer.from('{"v":1,"type":"log.opened"}');
  const frame = encodeFrame(record);
  const read = readFrame(frame, 0);
  assert.equal(read.kind, "frame");
  assert.ok(read.kind === "frame" && read.bytes.equals(record) && read.end === frame.length);
  for (let cut = 0; cut < frame.length; cut += 1) assert.equal(readFrame(frame.subarray(0, cut), 0).kind, "incomplete", `cut at ${cut}`);
});

test("readFrame() refuses every single flipped bit", () => {
  const frame = encodeFrame(Buffer.from('{"v":1,"seq":7}'));
  for (let bit = 0; bit < frame.length * 8; bit += 1) {
    const flipped = Buffer.from(frame);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.notEqual(readFrame(flipped, 0).kind, "frame", `bit ${bit}`);
  }
});

test("readFrame() refuses lengths of zero and beyond the maximum", () => {
  const header = Buffer.alloc(16);
  assert.equal(readFrame(header, 0).kind, "broken");
  header.writeUInt32LE(maximumRecordBytes + 1);
  assert.equal(readFrame(header, 0).kind, "broken");
});

test("holdsWholeFrame() tells damage in the middle from a torn tail", () => {
  const frame = encodeFrame(Buffer.from('{"v":1,"seq":7}'));
  assert.equal(holdsWholeFrame(frame.subarray(0, -1)), false);
  assert.equal(holdsWholeFrame(Buffer.concat([frame.subarray(0, 12), frame])), true);
  assert.equal(holdsWholeFrame(Buffer.concat([frame.subarray(0, 12), frame.subarray(0, -1)])), false);
});
