// Reads the records of a touch log. Its writer lives inside: what breaks the format ends the reading, and what was read so far stands.
import { decodeByteText } from "../kit/byte-text.ts";
import { sizes, touchKept, touchRecords } from "./protocol.ts";

/** What lay at a name, as the mediator saw it; `mode` has the type. Numbers of a file system are text because they do not fit. */
export interface TouchedState {
  readonly mode: number;
  readonly links: number;
  /** Device, inode and time of birth: the same for two names of one file. */
  readonly identity: string;
  readonly inode: string;
  readonly size: number;
  readonly changedNs: string;
  /** Of a symbolic link. */
  readonly target: string;
}

export interface KeptContent {
  readonly size: number;
  readonly kept: keyof typeof touchKept;
  /** Where its bytes lie in the log. */
  readonly offset: number;
  readonly length: number;
}

export interface TouchRecords {
  /** By path, before its first change; undefined: nothing was there. */
  readonly before: ReadonlyMap<string, TouchedState | undefined>;
  /** By identity. */
  readonly contents: ReadonlyMap<string, KeptContent>;
  /** Which commands changed a path, in order. */
  readonly commands: ReadonlyMap<string, readonly number[]>;
  /** Changes that the mediator could not write down. */
  readonly missed: number;
}

/** Reads `length` bytes of the log at `offset`; fewer at its end. */
export type ReadLog = (offset: number, length: number) => Buffer;

const magic = Buffer.from("GBTOUCH1");
const headBytes = 8;
const pathHead = 72;
const contentHead = 40;
const longestPath = 4096 + 256;
const longestTarget = 4096;

/** Thrown away by its reader. */
class Broken extends Error {}

function need(condition: boolean): asserts condition {
  if (!condition) throw new Broken("touch log");
}

function safe(value: bigint): number {
  need(value <= BigInt(Number.MAX_SAFE_INTEGER));
  return Number(value);
}

class Reading {
  readonly before = new Map<string, TouchedState | undefined>();
  readonly contents = new Map<string, KeptContent>();
  readonly commands = new Map<string, number[]>();

  #note(command: number, path: string): void {
    const known = this.commands.get(path);
    if (known === undefined) this.commands.set(path, [command]);
    else if (!known.includes(command)) known.push(command);
  }

  result(missed: number): TouchRecords {
    return { before: this.before, contents: this.contents, commands: this.commands, missed };
  }

  path(body: Buffer): void {
    need(body.length > pathHead);
    const pathLength = body.readUInt32LE(64);
    const targetLength = body.readUInt32LE(68);
    need(pathLength <= longestPath && targetLength <= longestTarget && body.length === pathHead + pathLength + targetLength);
    const path = decodeByteText(body.subarray(pathHead, pathHead + pathLength));
    need(
      path.startsWith("/") &&
        !path
          .split("/")
          .slice(1)
          .some((name) => name === "" || name === "." || name === ".."),
    );
    this.#note(body.readUInt32LE(0), path);
    if (this.before.has(path)) return;
    const mode = body.readUInt32LE(4);
    const identity = [16, 24, 32].map((at) => body.readBigUInt64LE(at).toString(16)).join(".");
    this.before.set(
      path,
      mode === 0
        ? undefined
        : {
            mode,
            links: body.readUInt32LE(8),
            identity,
            inode: body.readBigUInt64LE(24).toString(),
            size: safe(body.readBigUInt64LE(40)),
            changedNs: body.readBigInt64LE(56).toString(),
            target: decodeByteText(body.subarray(pathHead + pathLength)),
          },
    );
  }

  content(head: Buffer, offset: number, length: number): void {
    need(head.length === contentHead);
    const identity = [0, 8, 16].map((at) => head.readBigUInt64LE(at).toString(16)).join(".");
    const kept = Object.entries(touchKept).find(([, value]) => value === head.readUInt32LE(32))?.[0];
    need(kept === "kept" || kept === "tooLarge" || kept === "noRoom" || kept === "unreadable");
    need(kept === "kept" || length === 0);
    if (!this.contents.has(identity)) this.contents.set(identity, { size: safe(head.readBigUInt64LE(24)), kept, offset, length });
  }

  again(body: Buffer): void {
    need(body.length > 4 && body.length <= 4 + longestPath);
    const path = decodeByteText(body.subarray(4));
    need(this.before.has(path));
    this.#note(body.readUInt32LE(0), path);
  }
}

function readRecord(reading: Reading, read: ReadLog, at: number): number {
  const head = read(at, headBytes);
  need(head.length === headBytes && head.readUIntLE(5, 3) === 0);
  const length = head.readUInt32LE(0);
  const body = at + headBytes;
  switch (head.readUInt8(4)) {
    case touchRecords.path:
    case touchRecords.again: {
      const bytes = read(body, Math.min(length, pathHead + longestPath + longestTarget));
      need(bytes.length === length);
      if (head.readUInt8(4) === touchRecords.path) reading.path(bytes);
      else reading.again(bytes);
      break;
    }
    case touchRecords.content:
      need(length >= contentHead && read(body + length - 1, 1).length === 1);
      reading.content(read(body, contentHead), body + contentHead, length - contentHead);
      break;
    default:
      throw new Broken("touch log");
  }
  return body + length;
}

/** Never throws for what is in the log; a record that breaks off counts as missed. */
export function readTouchRecords(read: ReadLog, size: number): TouchRecords {
  const reading = new Reading();
  const header = read(0, sizes.touchHeader);
  // Empty: the guard ended before it was configured.
  if (header.length === 0) return reading.result(0);
  if (header.length !== sizes.touchHeader || !header.subarray(0, magic.length).equals(magic)) return reading.result(1);
  const missed = Number(header.readBigUInt64LE(16) & 0xffff_ffffn);
  try {
    for (let at: number = sizes.touchHeader; at < size; at = readRecord(reading, read, at)) continue;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return reading.result(missed + 1);
  }
  return reading.result(missed);
}
