// Frames of the door and what they hold: both sides write and read them here. docs/door-protocol.md has the layout.
import type { SandboxAccess, SandboxCommand, SandboxCommandResult } from "../contracts/sandbox-door.ts";
import { approvalIdSchema } from "../contracts/ids.ts";
import { decodeByteText, encodeByteText } from "../kit/byte-text.ts";
import { encodeFrame } from "../kit/frame-codec.ts";
import { channels, childKinds, execFlags, frameTypes, outcomes, sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

const nothing = new Uint8Array(0);
/** Of one text that a client shows as it is: two of them leave room for a third. */
const longestText = 8_000;
/** Of a word of 32 bits: more than any policy lets a command run. */
const longestWallMs = 0xffff_ffff;

export const helloFrame = (software: string): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(sizes.version, 0);
  return encodeFrame(frameTypes.hello, 0, Buffer.concat([head, Buffer.from(software)]));
};

export interface Hello {
  readonly version: number;
  readonly software: string;
}

export function parseHello(payload: Buffer): Hello {
  if (payload.length < 8) throw violation("hello");
  return { version: payload.readUInt32LE(0), software: payload.subarray(8, 72).toString("utf8") };
}

export function creditFrame(stream: number, channel: keyof typeof channels, bytes: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32LE(channels[channel], 0);
  payload.writeUInt32LE(bytes, 4);
  return encodeFrame(frameTypes.credit, stream, payload);
}

export function parseCredit(payload: Buffer): { readonly channel: number; readonly bytes: number } {
  if (payload.length !== 8) throw violation("credit");
  return { channel: payload.readUInt32LE(0), bytes: payload.readUInt32LE(4) };
}

export function partFrames(stream: number, bytes: Uint8Array): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += sizes.dataMax)
    frames.push(encodeFrame(frameTypes.part, stream, bytes.subarray(at, at + sizes.dataMax)));
  return frames;
}

export const emptyFrame = (type: number, stream: number): Buffer => encodeFrame(type, stream, nothing);
export const dataFrame = (type: number, stream: number, bytes: Uint8Array): Buffer => encodeFrame(type, stream, bytes);

export function signalFrame(stream: number, signal: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32LE(signal, 0);
  return encodeFrame(frameTypes.signal, stream, payload);
}

export function resizeFrame(stream: number, { rows, columns }: { readonly rows: number; readonly columns: number }): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt16LE(rows & 0xffff, 0);
  payload.writeUInt16LE(columns & 0xffff, 2);
  return encodeFrame(frameTypes.resize, stream, payload);
}

const assignments = (variables: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));

/** Of a client that finds the words for its person itself. @param command `hasInput` false: it reads an empty input */
export function execFrames(
  stream: number,
  { sandbox, token }: SandboxAccess,
  command: SandboxCommand & { readonly hasInput: boolean; readonly hearsAsked?: boolean },
): Buffer[] {
  const caller = assignments(command.callerEnvironment);
  const own = assignments(command.environment);
  const block = [command.cwd ?? "", ...command.argv, ...caller, ...own].map((text) => `${text}\0`).join("");
  const { pty, isDetached, hasInput, hearsAsked } = command;
  const flags = [
    pty === undefined ? 0 : execFlags.pty,
    isDetached === true ? execFlags.detached : 0,
    hasInput ? 0 : execFlags.noInput,
    hearsAsked === true ? execFlags.tellsAsked : 0,
  ];
  const payload = Buffer.alloc(sizes.execBytes);
  payload.writeUInt32LE(
    flags.reduce((sum, flag) => sum | flag),
    0,
  );
  payload.writeUInt16LE(pty?.rows ?? 0, 4);
  payload.writeUInt16LE(pty?.columns ?? 0, 6);
  payload.writeUInt32LE(command.argv.length, 8);
  payload.writeUInt32LE(caller.length, 12);
  payload.writeUInt32LE(own.length, 16);
  payload.write(sandbox.slice(0, sizes.idBytes), 20, "latin1");
  payload.write(token, 20 + sizes.idBytes, "hex");
  payload.writeUInt32LE(Math.min(command.wallMs ?? 0, longestWallMs), sizes.execBytes - 4);
  return [...partFrames(stream, encodeByteText(block)), encodeFrame(frameTypes.exec, stream, payload)];
}

export interface ExecRequest {
  readonly access: SandboxAccess;
  readonly command: SandboxCommand;
  readonly hasInput: boolean;
  readonly isChinese: boolean;
  /** It knows ASKED. */
  readonly hearsAsked: boolean;
}

const text = (bytes: Buffer): string => bytes.toString("latin1").replace(/\0+$/u, "");

function variables(words: readonly string[]): Record<string, string> {
  const pairs = words.map((word): [string, string] => {
    const at = word.indexOf("=");
    if (at < 1) throw violation("variable");
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

function splitBlock(block: Buffer): string[] {
  if (block.length === 0 || block[block.length - 1] !== 0) throw violation("parts");
  return decodeByteText(block.subarray(0, -1)).split("\0");
}

/** @param block the PARTs */
export function parseExec(payload: Buffer, block: Buffer): ExecRequest {
  if (payload.length !== sizes.execBytes) throw violation("exec");
  const [argc, callerc, ownc] = [payload.readUInt32LE(8), payload.readUInt32LE(12), payload.readUInt32LE(16)];
  const words = splitBlock(block);
  const [cwd = "", program, ...rest] = words;
  if (program === undefined || argc < 1 || words.length !== 1 + argc + callerc + ownc) throw violation("exec-counts");
  const flags = payload.readUInt32LE(0);
  const has = (flag: keyof typeof execFlags): boolean => (flags & execFlags[flag]) !== 0;
  const pty = { rows: payload.readUInt16LE(4), columns: payload.readUInt16LE(6) };
  const idEnd = 20 + sizes.idBytes;
  const tokenEnd = idEnd + sizes.tokenBytes;
  const wallMs = payload.readUInt32LE(tokenEnd);
  return {
    access: { sandbox: text(payload.subarray(20, idEnd)), token: payload.subarray(idEnd, tokenEnd).toString("hex") },
    command: {
      argv: [program, ...rest.slice(0, argc - 1)],
      ...(cwd === "" ? {} : { cwd }),
      callerEnvironment: variables(rest.slice(argc - 1, argc - 1 + callerc)),
      environment: variables(rest.slice(argc - 1 + callerc)),
      ...(has("pty") ? { pty } : {}),
      ...(wallMs === 0 ? {} : { wallMs }),
      ...(has("detached") ? { isDetached: true } : {}),
    },
    hasInput: !has("noInput"),
    isChinese: has("chinese"),
    hearsAsked: has("tellsAsked"),
  };
}

/** A person elsewhere is asked about the command of this stream. */
export const askedFrame = (stream: number, approval: string): Buffer =>
  dataFrame(frameTypes.asked, stream, Buffer.from(approval, "latin1"));

/** @throws BROKER_PROTOCOL */
export function parseAsked(payload: Buffer): string {
  const approval = approvalIdSchema.safeParse(payload.toString("latin1"));
  if (!approval.success) throw violation("asked");
  return approval.data;
}

/** Texts ended by NUL, within the rest of a frame: what would be longer is cut, and what has no room left out. */
function textsWithin(texts: readonly string[], room: number): Buffer {
  const ended: Buffer[] = [];
  let left = room;
  for (const text of texts) {
    const bytes = Buffer.from(text.replaceAll("\0", "")).subarray(0, Math.max(0, Math.min(longestText, left - 1)));
    if (left > 0) ended.push(bytes, Buffer.from([0]));
    left -= bytes.length + 1;
  }
  return Buffer.concat(ended);
}

/**
 * The fixed part, and the notes for a client that shows them as they are; `task`, `limitHits`, `notes` and `leftBehind` are in the PARTs before it.
 * @param notes ready to print
 */
export function resultFrame(stream: number, result: SandboxCommandResult, notes: readonly string[]): Buffer {
  const { child, ledger } = result;
  const payload = Buffer.alloc(sizes.resultBytes);
  const kind = child?.kind ?? "none";
  const head = [result.exitCode, outcomes.indexOf(result.outcome), childKinds.indexOf(kind), child?.value ?? 0];
  for (const [index, value] of head.entries()) payload.writeUInt32LE(value, index * 4);
  const counts = [result.stdoutBytes, result.stderrBytes, result.durationMs, ledger.firstSeq, ledger.lastSeq];
  for (const [index, value] of counts.entries()) payload.writeBigUInt64LE(BigInt(Math.trunc(value)), 16 + index * 8);
  payload.writeUInt32LE(result.isLeftRunning ? 1 : 0, 56);
  payload.write(result.action.slice(0, sizes.idBytes), 64, "latin1");
  const texts = textsWithin(notes, sizes.controlMax - sizes.resultBytes);
  return encodeFrame(frameTypes.result, stream, Buffer.concat([payload, texts]));
}

/** @throws BROKER_PROTOCOL */
export function parseResult(payload: Buffer): Omit<SandboxCommandResult, "task" | "limitHits" | "notes" | "leftBehind"> {
  if (payload.length < sizes.resultBytes) throw violation("result");
  const outcome = outcomes[payload.readUInt32LE(4)];
  const kind = childKinds[payload.readUInt32LE(8)];
  if (outcome === undefined || kind === undefined) throw violation("result");
  const count = (index: number): number => Number(payload.readBigUInt64LE(16 + index * 8));
  return {
    exitCode: payload.readUInt32LE(0),
    outcome,
    child: kind === "none" ? undefined : { kind, value: payload.readUInt32LE(12) },
    stdoutBytes: count(0),
    stderrBytes: count(1),
    durationMs: count(2),
    ledger: { firstSeq: count(3), lastSeq: count(4) },
    isLeftRunning: payload.readUInt32LE(56) === 1,
    action: text(payload.subarray(64, sizes.resultBytes)),
  };
}

/** For a client that shows it as it is: exit code, then code, message and hint. */
export function refusedFrame(stream: number, exit: number, words: readonly [code: string, message: string, hint: string]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(exit, 0);
  return encodeFrame(frameTypes.refused, stream, Buffer.concat([head, textsWithin(words, sizes.controlMax - head.length)]));
}
