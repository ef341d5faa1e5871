// FrameDecoder and parseGuardMessage() against hostile bytes: any input gives frames or GUARD_PROTOCOL, and nothing else.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as fc from "fast-check";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { guardConversation, guardData, guardFrame, guardHello, guardReady } from "./fake-guard.ts";
import { guardFrameDecoder } from "./frame-decoder.ts";
import { type GuardMessage, parseGuardMessage } from "./guard-message.ts";
import { frameTypes, sizes } from "./protocol.ts";

const conversation = Buffer.concat([guardHello, guardReady, ...guardConversation(1, "hello"), ...guardConversation(2, "x".repeat(5000))]);

interface Decoded {
  readonly messages: readonly GuardMessage[];
  readonly broke: boolean;
}

function decode(chunks: Iterable<Uint8Array>): Decoded {
  const decoder = guardFrameDecoder();
  const messages: GuardMessage[] = [];
  try {
    for (const chunk of chunks) {
      for (const frame of decoder.push(Buffer.from(chunk))) messages.push(parseGuardMessage(frame));
      assert.ok(decoder.pendingBytes < sizes.header + sizes.dataMax, "keeps less than one frame");
    }
  } catch (error) {
    if (!(error instanceof GloveboxError) || error.code !== "GUARD_PROTOCOL") throw error;
    return { messages, broke: true };
  }
  return { messages, broke: false };
}

function split(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((left, right) => left - right);
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

test("FrameDecoder gives the same frames however the bytes are cut", () => {
  const whole = decode([conversation]);
  assert.equal(whole.broke, false);
  assert.equal(whole.messages.length, 12);
  fc.assert(fc.property(fc.array(fc.nat(conversation.length)), (cuts) => assert.deepEqual(decode(split(conversation, cuts)), whole)));
  assert.deepEqual(decode(Array.from(conversation, (byte) => Buffer.of(byte))), whole);
});

test("FrameDecoder gives frames or GUARD_PROTOCOL for any bytes", () => {
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => void decode(chunks)));
});

test("FrameDecoder gives frames or GUARD_PROTOCOL for mutations of a real conversation", () => {
  const mutation = fc.record({ at: fc.nat(conversation.length - 1), byte: fc.integer({ min: 0, max: 255 }), cut: fc.nat(40) });
  let broken = 0;
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 8 }), (mutations) => {
      let bytes = Buffer.from(conversation);
      for (const { at, byte, cut } of mutations) {
        if (at >= bytes.length) continue;
        bytes[at] = byte;
        if (cut < 10) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + cut))]);
      }
      if (decode([bytes]).broke) broken++;
    }),
    { numRuns: 2000 },
  );
  assert.ok(broken > 100, `only ${broken} mutations broke the protocol`);
});

test("FrameDecoder refuses the fuzzer's corpus: what a host sends is not what a guard sends", () => {
  const corpus = new URL("../../test/fuzz/corpus/", import.meta.url);
  const seeds = readdirSync(corpus).filter((name) => name.endsWith(".bin"));
  assert.ok(seeds.length >= 10);
  // HELLO alone is the same both ways.
  for (const seed of seeds) assert.equal(decode([readFileSync(new URL(seed, corpus))]).broke, !["hello.bin"].includes(seed), seed);
});

const bad: Readonly<Record<string, Buffer>> = {
  "an unknown type": guardFrame(0x7f, 1),
  "a host's type": guardFrame(frameTypes.exec, 1),
  "a payload that is too long": Buffer.from([1, 0, 1, 0, frameTypes.stdout, 0, 0, 0, 1, 0, 0, 0]),
  "a control payload that is too long": Buffer.from([1, 64, 0, 0, frameTypes.exited, 0, 0, 0, 1, 0, 0, 0]),
  flags: Buffer.from([0, 0, 0, 0, frameTypes.treeGone, 1, 0, 0, 1, 0, 0, 0]),
  "reserved bytes": Buffer.from([0, 0, 0, 0, frameTypes.treeGone, 0, 0, 1, 1, 0, 0, 0]),
  "a short HELLO": guardFrame(frameTypes.hello, 0, 1, 0),
  "READY with an unknown layer": guardFrame(frameTypes.ready, 0, 7, 0x80, 0, 0, 0, 0),
  "FAILED with an unknown wall": guardFrame(frameTypes.failed, 0, 99, 1, 0),
  "a command's frame on stream 0": guardFrame(frameTypes.started, 0, 1),
  "a session's frame on a stream": guardFrame(frameTypes.ready, 3, 7, 1, 0, 0, 0, 0),
  "empty output": guardFrame(frameTypes.stdout, 1),
  "an exit code above 255": guardFrame(frameTypes.exited, 1, 0, 256, 0, 0, 0, 0, 0, 0),
  "signal 0": guardFrame(frameTypes.exited, 1, 1, 0, 0, 0, 0, 0, 0, 0),
  "a number beyond exactness": guardFrame(frameTypes.exited, 1, 0, 0, 0, 0, 0, 0, 0, 0xffff_ffff),
  "credit for an output": guardFrame(frameTypes.credit, 1, 1, 10),
  "a refusal without a path": guardFrame(frameTypes.refused, 1, 1, 13, 1),
  "a refusal of an unknown call": guardFrame(frameTypes.refused, 1, 99, 13, 1, 0x2f),
  "a refusal by an unknown rule": guardFrame(frameTypes.refused, 1, 1, 13, 99, 0x2f),
  "a refusal whose path is too long": guardData(frameTypes.refused, 1, Buffer.alloc(12 + 4353, 1)),
  "a refusal of the session": guardFrame(frameTypes.refused, 0, 1, 13, 1, 0x2f),
  "a short count of refusals": guardData(frameTypes.refusedTotal, 1, Buffer.of(1)),
  "a short limit of files": guardFrame(frameTypes.fileLimit, 1, 1),
  "no credit": guardFrame(frameTypes.credit, 1, 0, 0),
  "a payload where none belongs": guardData(frameTypes.outputEnd, 1, Buffer.of(1)),
};

for (const [what, bytes] of Object.entries(bad)) {
  test(`parseGuardMessage() refuses ${what}`, () => {
    assert.deepEqual(decode([bytes]), { messages: [], broke: true });
  });
}
