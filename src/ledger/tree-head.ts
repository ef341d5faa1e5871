// Tree heads: C2SP tlog-checkpoint notes, one after another in `heads.log`. Extension lines hold where to continue reading from,
// so that opening a long log does not mean hashing it again.
import { type Frontier, hashBytes, rootCount, rootOf } from "./merkle.ts";
import type { SigningKey } from "./signing-key.ts";

/** A place in the log: everything that is needed to append after `size` records. */
export interface LogPosition {
  readonly segment: number;
  /** Bytes of that segment. */
  readonly offset: number;
  /** Leaf hash of the last record, hex; 64 zeros before the first. */
  readonly leaf: string;
  readonly frontier: Frontier;
}

export const emptyLeaf = "0".repeat(64);

export function formatTreeHead(position: LogPosition, key: SigningKey): string {
  const { frontier, segment, offset, leaf } = position;
  const text = [
    key.name,
    String(frontier.size),
    rootOf(frontier).toString("base64"),
    `position ${segment} ${offset}`,
    `leaf ${leaf}`,
    `frontier ${frontier.roots.map((root) => root.toString("base64")).join(" ")}`,
    "",
  ].join("\n");
  const signature = Buffer.concat([Buffer.from(key.id, "hex"), key.sign(text)]).toString("base64");
  return `${text}\n— ${key.name} ${signature}\n`;
}

/** Text and signature lines of one note and where it ends; undefined when the rest holds no whole note. */
function cutNote(
  notes: string,
  start: number,
): { readonly text: string; readonly signatures: readonly string[]; readonly end: number } | undefined {
  const blank = notes.indexOf("\n\n", start);
  if (blank < 0) return undefined;
  const signatures: string[] = [];
  let end = blank + 2;
  while (notes.startsWith("— ", end)) {
    const newline = notes.indexOf("\n", end);
    if (newline < 0) return undefined;
    signatures.push(notes.slice(end, newline));
    end = newline + 1;
  }
  return signatures.length === 0 ? undefined : { text: notes.slice(start, blank + 1), signatures, end };
}

function signedBy(key: SigningKey, text: string, line: string): boolean {
  const prefix = `— ${key.name} `;
  if (!line.startsWith(prefix)) return false;
  const encoded = line.slice(prefix.length);
  const decoded = Buffer.from(encoded, "base64");
  // Base64 in one spelling only, so that no byte of a note can change unnoticed.
  if (decoded.toString("base64") !== encoded) return false;
  return decoded.subarray(0, 4).toString("hex") === key.id && key.verifies(text, decoded.subarray(4));
}

function parsePosition(text: string, key: SigningKey): LogPosition | undefined {
  const match =
    /^(?<origin>\S+)\n(?<size>\d{1,16})\n(?<root>\S{44})\nposition (?<segment>\d{1,8}) (?<offset>\d{1,16})\nleaf (?<leaf>[0-9a-f]{64})\nfrontier (?<roots>.+)\n$/u.exec(
      text,
    );
  if (match?.groups === undefined || match.groups["origin"] !== key.name) return undefined;
  const { size, root, segment, offset, leaf, roots } = match.groups;
  const frontier = { size: Number(size), roots: (roots ?? "").split(" ").map((one) => Buffer.from(one, "base64")) };
  const whole = frontier.roots.length === rootCount(frontier.size) && frontier.roots.every((one) => one.length === hashBytes);
  if (!whole || rootOf(frontier).toString("base64") !== root) return undefined;
  return { segment: Number(segment), offset: Number(offset), leaf: leaf ?? emptyLeaf, frontier };
}

export interface ParsedHeads {
  readonly heads: readonly LogPosition[];
  /** Bytes that hold whole notes; what follows is torn. */
  readonly bytes: number;
  /** True when a whole note is not one that `key` signed. */
  readonly foreign: boolean;
}

/** Reads consecutive notes from the start of `bytes`. */
export function parseTreeHeads(bytes: Buffer, key: SigningKey): ParsedHeads {
  const notes = bytes.toString("utf8");
  const heads: LogPosition[] = [];
  let end = 0;
  for (let note = cutNote(notes, 0); note !== undefined; note = cutNote(notes, end)) {
    const { text } = note;
    const position = note.signatures.some((line) => signedBy(key, text, line)) ? parsePosition(text, key) : undefined;
    const previous = heads.at(-1)?.frontier.size ?? 0;
    if (position === undefined || position.frontier.size < previous)
      return { heads, bytes: Buffer.byteLength(notes.slice(0, end)), foreign: true };
    heads.push(position);
    end = note.end;
  }
  return { heads, bytes: Buffer.byteLength(notes.slice(0, end)), foreign: false };
}
