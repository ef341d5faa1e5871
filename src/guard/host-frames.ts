// Frames that the host sends.
import { encodeByteText } from "../kit/byte-text.ts";
import { encodeFrame as frame } from "../kit/frame-codec.ts";
import { channels, domains, execFlags, frameTypes, reads, segments, sizes } from "./protocol.ts";

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

const nothing = new Uint8Array(0);

/** One path rule of the commands' Landlock domain, the guard's own, or both. */
export interface GuardRule {
  /** Bits of landlock-rights.ts. */
  readonly rights: bigint;
  /** Absolute, inside, and free of symbolic links: a link in it counts as absent. */
  readonly path: string;
  /** A path that is absent is passed over; a missing right only ever denies. */
  readonly optional?: boolean;
  readonly domain?: keyof typeof domains;
}

/** A rule about reading. A literal is about its path and all below, of which the deepest counts; a glob denies whatever literals say. */
export interface ReadRule {
  readonly effect: keyof typeof reads;
  /** From / on; `glob` and `any` only in a glob. At most 62. */
  readonly segments: readonly { readonly kind: keyof typeof segments; readonly text: string }[];
}

/** What the mediator holds. */
export interface GuardMediation {
  /** Absolute, inside, canonical; at most 32. None: nothing is mediated. */
  readonly writeRoots: readonly string[];
  /**
   * Names that are never made, replaced or opened for writing below a write root, nor anything below them: `name`, or `above/name` for
   * one in a directory of that name. Letter case does not count. At most 256, of at most 63 bytes.
   */
  readonly listedNames: readonly string[];
  /** Absolute, canonical paths in write roots that are not written, nor what lies below them; at most 4,096. */
  readonly listedPaths: readonly string[];
  /** Present: opens that only read are mediated as well, by at most 1,024 rules; no glob denies a path that is `exempt`. */
  readonly reading?: { readonly rules: readonly ReadRule[]; readonly exempt: readonly string[] };
  /** Present: commands may make user, pid and net namespaces of their own. */
  readonly nested?: true;
  readonly touchLog?: TouchLogRequest;
  /** The descriptor, as the guard's process has it, of a file by which sandboxes with one write root exclude each other. */
  readonly sharedLock?: number;
}

/** Where the guard writes what lay in a write root before each change. */
export interface TouchLogRequest {
  /** As the guard's process has it. */
  readonly descriptor: number;
  readonly fileBytesMax: number;
  readonly keptBytesMax: number;
}

/** A resource of setrlimit(2) by its Linux number, and the most it may be. */
export interface ResourceLimit {
  readonly resource: number;
  readonly value: bigint;
}

export interface ExecFrame {
  readonly pty: { readonly rows: number; readonly columns: number } | undefined;
  /** OUTPUT_DIR of its environment is made first. */
  readonly makesOutput: boolean;
  readonly argc: number;
  readonly envc: number;
  readonly umask: number;
  readonly limits: readonly ResourceLimit[];
}

export const helloFrame = (epoch: number): Buffer => frame(frameTypes.hello, 0, numbers(sizes.version, 0, epoch));
export const sealFrame = (): Buffer => frame(frameTypes.seal, 0, nothing);
export const stdinFrame = (stream: number, bytes: Uint8Array): Buffer => frame(frameTypes.stdin, stream, bytes);
export const stdinEndFrame = (stream: number): Buffer => frame(frameTypes.stdinEnd, stream, nothing);
export const signalFrame = (stream: number, signal: number): Buffer => frame(frameTypes.signal, stream, numbers(signal));
export const killTreeFrame = (stream: number): Buffer => frame(frameTypes.killTree, stream, nothing);
export const creditFrame = (stream: number, channel: "stdout" | "stderr", bytes: number): Buffer =>
  frame(frameTypes.credit, stream, numbers(channels[channel], bytes));

export function resizeFrame(stream: number, size: { readonly rows: number; readonly columns: number }): Buffer {
  return frame(frameTypes.resize, stream, numbers(((size.rows & 0xffff) | ((size.columns & 0xffff) << 16)) >>> 0));
}

export function ruleFrame(rule: GuardRule): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(rule.rights, 0);
  head.writeUInt8(rule.optional === true ? 1 : 0, 8);
  head.writeUInt8(domains[rule.domain ?? "both"], 9);
  return frame(frameTypes.landlockRule, 0, Buffer.concat([head, Buffer.from(rule.path)]));
}

export const writeRootFrame = (path: string): Buffer => frame(frameTypes.writeRoot, 0, Buffer.from(path));
export const listedPathFrame = (path: string): Buffer => frame(frameTypes.listedPath, 0, Buffer.from(path));
export function touchLogFrame({ descriptor, fileBytesMax, keptBytesMax }: TouchLogRequest): Buffer {
  const payload = Buffer.alloc(24);
  payload.writeUInt32LE(descriptor, 0);
  payload.writeBigUInt64LE(BigInt(fileBytesMax), 8);
  payload.writeBigUInt64LE(BigInt(keptBytesMax), 16);
  return frame(frameTypes.touchLog, 0, payload);
}

export const sharedLockFrame = (descriptor: number): Buffer => frame(frameTypes.sharedLock, 0, numbers(descriptor));
export const listedNameFrame = (name: string): Buffer => frame(frameTypes.listedName, 0, Buffer.from(name));

function readRuleFrame({ effect, segments: parts }: ReadRule): Buffer {
  const bytes = parts.map(({ kind, text }) => {
    const name = encodeByteText(text);
    const head = Buffer.alloc(3);
    head.writeUInt8(segments[kind], 0);
    head.writeUInt16LE(name.length, 1);
    return Buffer.concat([head, name]);
  });
  return frame(frameTypes.readRule, 0, Buffer.concat([Buffer.from([reads[effect]]), ...bytes]));
}

/** Nothing when reading is not mediated. */
export function readingFrames({ reading }: GuardMediation): readonly Buffer[] {
  if (reading === undefined) return [];
  const exempt = reading.exempt.map((path) => frame(frameTypes.readExempt, 0, encodeByteText(path)));
  return [frame(frameTypes.strict, 0, nothing), ...reading.rules.map(readRuleFrame), ...exempt];
}

export const nestedFrame = (): Buffer => frame(frameTypes.nested, 0, nothing);

/** The block of strings in as many frames as it takes. */
export function argumentFrames(stream: number, block: Uint8Array): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < block.length; at += sizes.dataMax)
    frames.push(frame(frameTypes.args, stream, block.subarray(at, at + sizes.dataMax)));
  return frames;
}

export function execFrame(stream: number, exec: ExecFrame): Buffer {
  const payload = Buffer.alloc(24 + exec.limits.length * 16);
  payload.writeUInt32LE((exec.pty === undefined ? 0 : execFlags.pty) | (exec.makesOutput ? execFlags.output : 0), 0);
  payload.writeUInt16LE(exec.pty?.rows ?? 0, 4);
  payload.writeUInt16LE(exec.pty?.columns ?? 0, 6);
  payload.writeUInt32LE(exec.argc, 8);
  payload.writeUInt32LE(exec.envc, 12);
  payload.writeUInt32LE(exec.umask, 16);
  payload.writeUInt32LE(exec.limits.length, 20);
  for (const [index, { resource, value }] of exec.limits.entries()) {
    payload.writeUInt32LE(resource, 24 + index * 16);
    payload.writeBigUInt64LE(value, 32 + index * 16);
  }
  return frame(frameTypes.exec, stream, payload);
}
