// What the guard's programs say of files inside (native/guard/collected.c) as items. Whatever runs there may speak in their place: every byte is hostile.
import type { OutputChunk } from "../contracts/boundary.ts";
import type { CollectedItem, ContentState, FileKind } from "../contracts/artifacts.ts";
import { decodeByteText } from "../kit/byte-text.ts";
import { type Frame, FrameDecoder } from "../kit/frame-codec.ts";
import { violation } from "./frame-decoder.ts";
import { collected, contents, sizes } from "./protocol.ts";

const entryHead = 24;
const wordBytes = 12;

const longest: ReadonlyMap<number, number> = new Map([
  [collected.entry, entryHead + sizes.controlMax],
  [collected.bytes, sizes.dataMax],
  [collected.content, wordBytes],
  [collected.end, wordBytes],
]);

/** By the type bits of a mode. */
const kinds: ReadonlyMap<number, FileKind> = new Map([
  [0o100_000, "file"],
  [0o040_000, "directory"],
  [0o120_000, "link"],
  [0o010_000, "pipe"],
  [0o140_000, "socket"],
  [0o020_000, "device"],
  [0o060_000, "device"],
]);

const states = new Map<number, ContentState>(
  (["whole", "changed", "unreadable", "tooLarge"] as const).map((name) => [contents[name], name]),
);

function wholeNumber(payload: Buffer, at: number): number {
  const value = Number(payload.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw violation("collected-number");
  return value;
}

function parseEntry(payload: Buffer): CollectedItem {
  if (payload.length <= entryHead) throw violation("collected-entry");
  const name = payload.subarray(entryHead);
  if (name.includes(0)) throw violation("collected-name");
  const type = kinds.get(payload.readUInt32LE(0)) ?? "other";
  return { kind: "entry", name: decodeByteText(name), type, links: payload.readUInt32LE(4), bytes: wholeNumber(payload, 8) };
}

function parseItem({ type, payload }: Frame): CollectedItem {
  if (type === collected.entry) return parseEntry(payload);
  if (type === collected.bytes) return { kind: "bytes", bytes: payload };
  if (payload.length !== wordBytes) throw violation("collected-length");
  const word = payload.readUInt32LE(8);
  if (type === collected.end) return { kind: "end", total: wholeNumber(payload, 0), isWhole: word === 1 };
  const state = states.get(word);
  if (state === undefined) throw violation("collected-state");
  return { kind: "content", bytes: wholeNumber(payload, 0), state };
}

/** Whatever comes on stderr is dropped. @throws GUARD_PROTOCOL for what no such program says */
export async function* readCollected(output: AsyncIterable<OutputChunk>): AsyncGenerator<CollectedItem, void, undefined> {
  const decoder = new FrameDecoder((type) => longest.get(type), violation);
  for await (const { channel, bytes } of output) {
    if (channel !== "stdout") continue;
    // A copy: the sender may use its buffer again, and a part of a frame waits for the rest.
    for (const frame of decoder.push(Buffer.from(bytes))) yield parseItem(frame);
  }
}
