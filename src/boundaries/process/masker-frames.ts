// Frames to the masker, and what it says. It is a program of ours, but it names files that somebody hostile made: lengths are checked.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { decodeByteText, encodeByteText } from "../../kit/byte-text.ts";
import type { MaskPlan, MaskRule } from "./mask-plan.ts";
import {
  maskerKinds,
  maskerMarks,
  maskerSegments,
  maskerSizes,
  type MaskerTrouble,
  troubleNames,
  maskerTroubles,
  maskerTypes,
} from "./masker-protocol.ts";

export interface MaskedMatch {
  /** Index into the plan's rules. */
  readonly rule: number;
  /** Absolute; bytes as in kit/byte-text.ts. */
  readonly path: string;
  readonly isLinked: boolean;
  /** Its content may have further names: it is a directory, or a file with several links. */
  readonly hasNames: boolean;
}

export type MaskerMessage =
  | { readonly kind: "found"; readonly match: MaskedMatch }
  | { readonly kind: "late"; readonly match: MaskedMatch; readonly windowUs: number }
  | { readonly kind: "ready"; readonly directories: number; readonly masks: number; readonly scanUs: number }
  | { readonly kind: "trouble"; readonly trouble: MaskerTrouble; readonly errno: number; readonly path: string }
  | { readonly kind: "behind" }
  | { readonly kind: "settled" };

function frame(type: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(maskerSizes.header);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(type, 4);
  return Buffer.concat([header, payload]);
}

function ruleFrame({ kind, segments }: MaskRule): Buffer {
  const parts = segments.map((segment) => {
    const text = encodeByteText(segment.text);
    const header = Buffer.alloc(3);
    header.writeUInt8(maskerSegments[segment.kind], 0);
    header.writeUInt16LE(text.length, 1);
    return Buffer.concat([header, text]);
  });
  return frame(maskerTypes.rule, Buffer.concat([Buffer.from([maskerKinds[kind]]), ...parts]));
}

export function planFrames({ places, rules, exempt, isStrict }: MaskPlan): Buffer {
  return Buffer.concat([
    ...places.map((path) => frame(maskerTypes.place, encodeByteText(path))),
    ...rules.map(ruleFrame),
    ...exempt.map((path) => frame(maskerTypes.exempt, encodeByteText(path))),
    ...(isStrict ? [frame(maskerTypes.untold, Buffer.alloc(0))] : []),
  ]);
}

/** @param pid 0: only look at the host's own view, and end */
export function goFrame(pid: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32LE(pid, 0);
  return frame(maskerTypes.go, payload);
}

export function settleFrame(): Buffer {
  return frame(maskerTypes.settle, Buffer.alloc(0));
}

function broken(): GloveboxError {
  return new GloveboxError("WALL_UNAVAILABLE", "wall.masker-lost");
}

function matchOf(payload: Buffer, pathAt: number): MaskedMatch {
  const marks = payload.readUInt8(2);
  return {
    rule: payload.readUInt16LE(0),
    path: decodeByteText(payload.subarray(pathAt)),
    isLinked: (marks & maskerMarks.linked) !== 0,
    hasNames: (marks & (maskerMarks.names | maskerMarks.directory)) !== 0,
  };
}

function troubleOf(payload: Buffer): MaskerMessage {
  const number = payload.readUInt16LE(0);
  const trouble = troubleNames.find((name) => maskerTroubles[name] === number);
  if (trouble === undefined) throw broken();
  return { kind: "trouble", trouble, errno: payload.readUInt32LE(4), path: decodeByteText(payload.subarray(8)) };
}

function parse(type: number, payload: Buffer): MaskerMessage {
  switch (type) {
    case maskerTypes.found:
      return { kind: "found", match: matchOf(payload, 4) };
    case maskerTypes.late:
      return { kind: "late", match: matchOf(payload, 8), windowUs: payload.readUInt32LE(4) };
    case maskerTypes.ready:
      return {
        kind: "ready",
        directories: payload.readUInt32LE(0),
        masks: payload.readUInt32LE(4),
        scanUs: Number(payload.readBigUInt64LE(8)),
      };
    case maskerTypes.trouble:
      return troubleOf(payload);
    case maskerTypes.behind:
      return { kind: "behind" };
    case maskerTypes.settled:
      return { kind: "settled" };
    default:
      throw broken();
  }
}

/** Keeps at most one unfinished frame. */
export class MaskerDecoder {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws WALL_UNAVAILABLE, or RangeError for a frame that is too short, at what no masker would send */
  *push(chunk: Buffer): Generator<MaskerMessage, void, undefined> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= maskerSizes.header) {
      const length = bytes.readUInt32LE(at);
      if (length > maskerSizes.frameMax) throw broken();
      const end = at + maskerSizes.header + length;
      if (bytes.length < end) break;
      const message = parse(bytes.readUInt8(at + 4), bytes.subarray(at + maskerSizes.header, end));
      at = end;
      yield message;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }
}
