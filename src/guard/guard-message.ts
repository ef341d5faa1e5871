// What a frame from the guard says. Checks shape and ranges; whether it may come now is the session's business.
import type { Frame } from "../kit/frame-codec.ts";
import { violation } from "./frame-decoder.ts";
import { calls, channels, exitedHow, frameTypes, layers, type LayerName, rules, sizes, stages, walls } from "./protocol.ts";

export type WallName = keyof typeof walls;
export type StageName = keyof typeof stages;
export type CallName = keyof typeof calls;
export type RuleName = keyof typeof rules;

/** `path` is what the mediator found the caller to mean, as bytes: a name is whatever the command made it. */
export interface RefusalMessage {
  readonly call: CallName;
  readonly errno: number;
  readonly rule: RuleName;
  readonly path: Buffer;
}

/** For one command. */
export type CommandMessage =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "not-started"; readonly stage: StageName; readonly errno: number }
  | { readonly kind: "wall-missing"; readonly wall: WallName; readonly errno: number }
  | { readonly kind: "output"; readonly channel: "stdout" | "stderr"; readonly bytes: Buffer }
  | { readonly kind: "output-end" }
  | {
      readonly kind: "exited";
      readonly how: "code" | "signal";
      readonly value: number;
      readonly userMs: number;
      readonly systemMs: number;
      readonly maxRssBytes: number;
    }
  | { readonly kind: "tree-gone" }
  | { readonly kind: "credit"; readonly bytes: number }
  | { readonly kind: "refused"; readonly refusal: RefusalMessage }
  | { readonly kind: "refused-total"; readonly total: number }
  /** `bytes`: the length or place that was asked for. */
  | { readonly kind: "file-limit"; readonly bytes: number };

export type SessionMessage =
  | { readonly kind: "hello"; readonly version: number; readonly features: number; readonly epoch: number }
  | {
      readonly kind: "ready";
      readonly landlockAbi: number;
      readonly layers: readonly LayerName[];
      readonly handledRights: bigint;
      readonly scopes: bigint;
    }
  /** `rule` is undefined when no rule is to blame. */
  | { readonly kind: "failed"; readonly wall: WallName; readonly errno: number; readonly rule: number | undefined };

export type GuardMessage =
  | { readonly stream: 0; readonly message: SessionMessage }
  | { readonly stream: number; readonly message: CommandMessage };

const noRule = 0xffff_ffff;
/** PATH_MAX and one name more. */
const refusedPathMax = 4096 + 256;

function need(condition: boolean, what: string): asserts condition {
  if (!condition) throw violation(what);
}

function nameOf<Name extends string>(table: Readonly<Record<Name, number>>, value: number, what: string): Name {
  for (const name in table) if (table[name] === value) return name;
  throw violation(what);
}

function layerNames(bits: number): readonly LayerName[] {
  need((bits & ~layers.all) === 0, "ready-layers");
  const { all: _, ...single } = layers;
  const names: LayerName[] = [];
  let name: LayerName;
  for (name in single) if ((bits & single[name]) !== 0) names.push(name);
  return names;
}

function safeNumber(value: bigint): number {
  need(value <= BigInt(Number.MAX_SAFE_INTEGER), "number-range");
  return Number(value);
}

function parseSession({ type, payload }: Frame): SessionMessage {
  switch (type) {
    case frameTypes.hello:
      need(payload.length === 12, "hello-length");
      return { kind: "hello", version: payload.readUInt32LE(0), features: payload.readUInt32LE(4), epoch: payload.readUInt32LE(8) };
    case frameTypes.ready:
      need(payload.length === 24, "ready-length");
      return {
        kind: "ready",
        landlockAbi: payload.readUInt32LE(0),
        layers: layerNames(payload.readUInt32LE(4)),
        handledRights: payload.readBigUInt64LE(8),
        scopes: payload.readBigUInt64LE(16),
      };
    case frameTypes.failed: {
      need(payload.length === 12, "failed-length");
      const rule = payload.readUInt32LE(8);
      return {
        kind: "failed",
        wall: nameOf(walls, payload.readUInt32LE(0), "failed-wall"),
        errno: payload.readUInt32LE(4),
        rule: rule === noRule ? undefined : rule,
      };
    }
    default:
      throw violation("stream-zero");
  }
}

function parseExited(payload: Buffer): CommandMessage {
  need(payload.length === 32, "exited-length");
  const how = nameOf(exitedHow, payload.readUInt32LE(0), "exited-how");
  const value = payload.readUInt32LE(4);
  need(how === "code" ? value <= 255 : value >= 1 && value <= 64, "exited-value");
  return {
    kind: "exited",
    how,
    value,
    userMs: Math.round(safeNumber(payload.readBigUInt64LE(8)) / 1000),
    systemMs: Math.round(safeNumber(payload.readBigUInt64LE(16)) / 1000),
    maxRssBytes: safeNumber(payload.readBigUInt64LE(24)),
  };
}

function parsePair(payload: Buffer, what: string): readonly [number, number] {
  need(payload.length === 8, what);
  return [payload.readUInt32LE(0), payload.readUInt32LE(4)];
}

function parseCredit(payload: Buffer): CommandMessage {
  const [channel, bytes] = parsePair(payload, "credit-length");
  need(channel === channels.stdin && bytes > 0 && bytes <= sizes.credit, "credit-value");
  return { kind: "credit", bytes };
}

function parseRefused(payload: Buffer): CommandMessage {
  need(payload.length > 12 && payload.length <= 12 + refusedPathMax, "refused-length");
  const call = nameOf(calls, payload.readUInt32LE(0), "refused-call");
  const rule = nameOf(rules, payload.readUInt32LE(8), "refused-rule");
  return { kind: "refused", refusal: { call, errno: payload.readUInt32LE(4), rule, path: Buffer.from(payload.subarray(12)) } };
}

function parseOutput(type: number, bytes: Buffer): CommandMessage {
  need(bytes.length > 0, "output-empty");
  return { kind: "output", channel: type === frameTypes.stdout ? "stdout" : "stderr", bytes };
}

function parseCommand({ type, payload }: Frame): CommandMessage {
  switch (type) {
    case frameTypes.started:
      need(payload.length === 4, "started-length");
      return { kind: "started", pid: payload.readUInt32LE(0) };
    case frameTypes.notStarted: {
      const [stage, errno] = parsePair(payload, "not-started-length");
      return { kind: "not-started", stage: nameOf(stages, stage, "not-started-stage"), errno };
    }
    case frameTypes.wallMissing: {
      const [wall, errno] = parsePair(payload, "wall-length");
      return { kind: "wall-missing", wall: nameOf(walls, wall, "wall-name"), errno };
    }
    case frameTypes.stdout:
    case frameTypes.stderr:
      return parseOutput(type, payload);
    case frameTypes.exited:
      return parseExited(payload);
    case frameTypes.credit:
      return parseCredit(payload);
    case frameTypes.refused:
      return parseRefused(payload);
    case frameTypes.refusedTotal:
      need(payload.length === 4, "refused-total-length");
      return { kind: "refused-total", total: payload.readUInt32LE(0) };
    case frameTypes.fileLimit:
      need(payload.length === 8, "file-limit-length");
      return { kind: "file-limit", bytes: Math.min(Number(payload.readBigUInt64LE(0)), Number.MAX_SAFE_INTEGER) };
    case frameTypes.outputEnd:
    case frameTypes.treeGone:
      need(payload.length === 0, "end-length");
      return { kind: type === frameTypes.outputEnd ? "output-end" : "tree-gone" };
    default:
      throw violation("stream-nonzero");
  }
}

/** @throws GUARD_PROTOCOL */
export function parseGuardMessage(frame: Frame): GuardMessage {
  if (frame.stream === 0) return { stream: 0, message: parseSession(frame) };
  return { stream: frame.stream, message: parseCommand(frame) };
}
