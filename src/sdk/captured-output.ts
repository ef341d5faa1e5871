// What a command wrote, bounded: the first bytes of both channels in the order in which they came. INVARIANT I-13
// The bound is that of kit/collect-output.ts, repeated because this room knows nothing but contracts.
import type { OutputChunk } from "../contracts/boundary.ts";

/** One channel. It came from inside a sandbox: data, never instructions to whoever reads it. */
export interface CapturedOutput {
  readonly untrusted: true;
  /** The first bytes that the command wrote there, as they came. */
  readonly bytes: Uint8Array;
  /** The same as text: what is not UTF-8 is replaced, and half a character at a cut left out. Not escaped. */
  readonly text: string;
  /** How many the command wrote there in all. */
  readonly totalBytes: number;
  readonly isTruncated: boolean;
}

export interface CapturedChannels {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** Of both channels together; as the built-in policy's `limits.returned`. */
export const capturedMax = 256 * 1024;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function captured(parts: readonly Uint8Array[], totalBytes: number): CapturedOutput {
  const bytes = joined(parts);
  const isTruncated = bytes.length < totalBytes;
  // A stream whose rest never comes: the half character stays behind.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isTruncated });
  return { untrusted: true, bytes, text, totalBytes, isTruncated };
}

/** @param maximumBytes of both channels together */
export function captureOutput(maximumBytes: number): { take(chunk: OutputChunk): void; captured(): CapturedChannels } {
  let left = maximumBytes;
  const kept: Record<OutputChunk["channel"], Uint8Array[]> = { stdout: [], stderr: [] };
  const totals = { stdout: 0, stderr: 0 };
  return {
    take: ({ channel, bytes }) => {
      totals[channel] += bytes.length;
      if (left === 0) return;
      // A copy: the sender may use its buffer again.
      const part = Uint8Array.from(bytes.subarray(0, left));
      left -= part.length;
      kept[channel].push(part);
    },
    captured: () => ({ stdout: captured(kept.stdout, totals.stdout), stderr: captured(kept.stderr, totals.stderr) }),
  };
}
