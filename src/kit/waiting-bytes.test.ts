// Bytes that wait: their order, and what they cost.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { WaitingBytes } from "./waiting-bytes.ts";

type Channel = "stdout" | "stderr";

function drain(waiting: WaitingBytes<Channel>): readonly { readonly channel: Channel; readonly bytes: Uint8Array }[] {
  const pieces = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) pieces.push(next);
  return pieces;
}

const textOf = (pieces: ReturnType<typeof drain>, channel: Channel): string =>
  Buffer.concat(pieces.filter((piece) => piece.channel === channel).map(({ bytes }) => bytes)).toString("latin1");

test("WaitingBytes hands on few pieces as they came", () => {
  const waiting = new WaitingBytes<Channel>();
  const pieces = [
    { channel: "stdout", bytes: Buffer.from("a") },
    { channel: "stderr", bytes: Buffer.from("b") },
    { channel: "stdout", bytes: Buffer.from("c") },
  ] as const;
  for (const { channel, bytes } of pieces) waiting.push(channel, bytes);
  assert.deepEqual(drain(waiting), pieces);
});

test("WaitingBytes keeps each channel's bytes in order, however they come and are taken", () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.record({ channel: fc.constantFrom<Channel>("stdout", "stderr"), length: fc.nat(9000) }) },
    { weight: 20, arbitrary: fc.record({ channel: fc.constantFrom<Channel>("stdout", "stderr"), length: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.constant("take" as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const waiting = new WaitingBytes<Channel>();
      const given = { stdout: "", stderr: "" };
      const taken = [];
      let next = 0;
      for (const one of steps) {
        if (one === "take") {
          const piece = waiting.shift();
          if (piece !== undefined) taken.push(piece);
          continue;
        }
        const bytes = Buffer.alloc(one.length).map(() => (next = (next + 1) % 251));
        given[one.channel] += Buffer.from(bytes).toString("latin1");
        waiting.push(one.channel, bytes);
      }
      taken.push(...drain(waiting));
      for (const channel of ["stdout", "stderr"] as const) assert.equal(textOf(taken, channel), given[channel]);
    }),
  );
});

test("WaitingBytes joins what comes in single bytes: many pieces become few", () => {
  const waiting = new WaitingBytes<Channel>();
  for (let at = 0; at < 512 * 1024; at += 1) waiting.push(at % 2 === 0 ? "stdout" : "stderr", Buffer.from("x"));
  for (let at = 0; at < 1000; at += 1) waiting.push("stdout", Buffer.alloc(0));
  const pieces = drain(waiting);
  assert.ok(pieces.length < 64, `${pieces.length} pieces`);
  const held = [...new Set(pieces.map(({ bytes }) => bytes.buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(held < 1024 * 1024, `${held} bytes are held`);
  assert.equal(textOf(pieces, "stdout").length + textOf(pieces, "stderr").length, 512 * 1024);
});
