// Bytes from the guard -> frames. Every byte is hostile.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { FrameDecoder } from "../kit/frame-codec.ts";
import { frameTypes, sizes } from "./protocol.ts";

const {
  stdout,
  stderr,
  hello,
  credit,
  ready,
  failed,
  started,
  notStarted,
  wallMissing,
  outputEnd,
  exited,
  treeGone,
  refused,
  refusedTotal,
  fileLimit,
} = frameTypes;
const fromGuard: ReadonlySet<number> = new Set([
  hello,
  credit,
  ready,
  failed,
  started,
  notStarted,
  wallMissing,
  stdout,
  stderr,
  outputEnd,
  exited,
  treeGone,
  refused,
  refusedTotal,
  fileLimit,
]);

export function violation(what: string): GloveboxError {
  return new GloveboxError("GUARD_PROTOCOL", "guard.protocol", { values: { what } });
}

function longestPayload(type: number): number | undefined {
  if (!fromGuard.has(type)) return undefined;
  return type === stdout || type === stderr ? sizes.dataMax : sizes.controlMax;
}

/** Its `push` throws GUARD_PROTOCOL at the first byte that no guard would send. */
export const guardFrameDecoder = (): FrameDecoder => new FrameDecoder(longestPayload, violation);
