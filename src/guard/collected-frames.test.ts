// readCollected(): what honest programs say becomes items; any other bytes give items or GUARD_PROTOCOL, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { CollectedItem } from "../contracts/artifacts.ts";
import type { OutputChunk } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { encodeFrame } from "../kit/frame-codec.ts";
import { readCollected } from "./collected-frames.ts";
import { collected, contents } from "./protocol.ts";

function entry(mode: number, size: number, name: Buffer | string): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(mode, 0);
  head.writeUInt32LE(1, 4);
  head.writeBigUInt64LE(BigInt(size), 8);
  return encodeFrame(collected.entry, 0, Buffer.concat([head, Buffer.from(name)]));
}

function word(type: number, first: number, second: number): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeBigUInt64LE(BigInt(first), 0);
  payload.writeUInt32LE(second, 8);
  return encodeFrame(type, 0, payload);
}

const honest = Buffer.concat([
  entry(0o100_000, 2, Buffer.from([0x61, 0xff])),
  encodeFrame(collected.bytes, 0, Buffer.from("hi")),
  word(collected.content, 2, contents.whole),
  entry(0o120_000, 9, "link"),
  word(collected.end, 2, 1),
]);

async function itemsOf(chunks: readonly Uint8Array[], channel: OutputChunk["channel"] = "stdout"): Promise<readonly CollectedItem[]> {
  async function* output(): AsyncGenerator<OutputChunk, void, undefined> {
    for (const bytes of chunks) yield { channel, bytes };
  }
  const items: CollectedItem[] = [];
  for await (const item of readCollected(output())) items.push(item);
  return items;
}

test("readCollected() reads what the guard's programs say, wherever the bytes are cut", async () => {
  for (const size of [1, 7, honest.length]) {
    const chunks = Array.from({ length: Math.ceil(honest.length / size) }, (_, at) => honest.subarray(at * size, (at + 1) * size));
    const items = await itemsOf(chunks);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ["entry", "bytes", "content", "entry", "end"],
    );
    assert.deepEqual(items[0], { kind: "entry", name: "a\udcff", type: "file", links: 1, bytes: 2 });
    assert.deepEqual(items[3], { kind: "entry", name: "link", type: "link", links: 1, bytes: 9 });
    assert.deepEqual(items[4], { kind: "end", total: 2, isWhole: true });
  }
});

test("readCollected() refuses a name with NUL, an empty name, a number beyond safe ones, an unknown state and an unknown frame", async () => {
  const tooMuch = word(collected.content, 0, contents.whole);
  tooMuch.writeBigUInt64LE(2n ** 60n, 12);
  const bad = [
    entry(0o100_000, 1, "a\0b"),
    entry(0o100_000, 1, ""),
    tooMuch,
    word(collected.content, 0, 99),
    encodeFrame(0x70, 0, Buffer.alloc(1)),
  ];
  for (const bytes of bad) await assert.rejects(itemsOf([bytes]), { code: "GUARD_PROTOCOL" });
});

test("readCollected() gives items or GUARD_PROTOCOL for any bytes, and nothing for what is said on stderr", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(honest.length - 1), async (bytes, at) => {
      for (const chunk of [bytes, Buffer.concat([honest.subarray(0, at), bytes])])
        await itemsOf([chunk]).catch((error: unknown) => {
          if (!(error instanceof GloveboxError) || error.code !== "GUARD_PROTOCOL") throw error;
        });
    }),
    { numRuns: 200 },
  );
  assert.deepEqual(await itemsOf([honest], "stderr"), []);
});
