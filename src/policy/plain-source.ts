// What every format reader gives: plain data, and where each part of it was written.
import type { LineIndex } from "./key-path.ts";

export interface PlainSource {
  readonly value: unknown;
  readonly lines: LineIndex;
}

/** Deeper than any policy; keeps recursive readers off the end of the stack. */
export const maximumDepth = 32;
