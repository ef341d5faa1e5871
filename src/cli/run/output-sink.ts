// Where a command's output goes: through to our own streams as it comes, or collected and bounded for a program (`--json`).
import type { OutputChunk } from "../../contracts/boundary.ts";
import type { OutputDocument } from "../../contracts/run-result-file.ts";
import { OutputCollector } from "../../kit/collect-output.ts";
import { type Output, OutputClosed } from "../output.ts";
import { createTerminalFilter, type TerminalFilter } from "./terminal-filter.ts";

export interface OutputSink {
  /** Resolves when the bytes are taken; that is the back-pressure. */
  take(chunk: OutputChunk): Promise<void>;
  /** Writes what is left. An output that still has not taken its bytes, because the run was ended meanwhile, is given up. */
  finish(): Promise<void>;
}

export interface LiveSinkOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The command has its own terminal: bytes pass unchanged even to ours. */
  readonly hasPty: boolean;
  /** The reader of our output left: the command is to end, and its further output goes nowhere. */
  readonly onClosed: () => void;
}

export interface LiveSink extends OutputSink {
  /** True when the last byte that a terminal got was a line feed, or none was written. */
  endsLine(): boolean;
}

const lineFeed = 0x0a;

/** Bytes pass unchanged to a pipe or a file; to a terminal only through the filter. */
export function createLiveSink(options: LiveSinkOptions): LiveSink {
  let isClosed = false;
  let lastByte = lineFeed;
  const channel = (output: Output): { output: Output; filter: TerminalFilter | undefined; waiting: number } => ({
    output,
    waiting: 0,
    filter: output.isTerminal && !options.hasPty ? createTerminalFilter() : undefined,
  });
  const channels = { stdout: channel(options.stdout), stderr: channel(options.stderr) };
  const write = async (output: Output, data: string | Uint8Array): Promise<void> => {
    if (isClosed) return;
    try {
      await output.write(data);
    } catch (error) {
      isClosed = true;
      options.onClosed();
      if (!(error instanceof OutputClosed)) throw error;
    }
  };
  return {
    take: async ({ channel: name, bytes }) => {
      const to = channels[name];
      to.waiting += 1;
      if (to.output.isTerminal) lastByte = bytes.at(-1) ?? lastByte;
      await write(to.output, to.filter === undefined ? bytes : to.filter.push(bytes));
      to.waiting -= 1;
    },
    finish: async () => {
      for (const { output, filter, waiting } of Object.values(channels)) {
        if (waiting > 0) output.abandon();
        else if (filter !== undefined) await write(output, filter.end());
      }
    },
    endsLine: () => lastByte === lineFeed,
  };
}

export interface CollectedOutput {
  readonly stdout: OutputDocument;
  readonly stderr: OutputDocument;
}

/** Keeps the first `maximumBytes` of both channels together, in the order they came. */
export function createCollectingSink(maximumBytes: number): OutputSink & { collected(): CollectedOutput } {
  const collector = new OutputCollector(maximumBytes);
  return {
    take: async ({ channel, bytes }) => collector.add(channel, bytes),
    finish: async () => {},
    collected: () => ({ stdout: collector.describe("stdout"), stderr: collector.describe("stderr") }),
  };
}
