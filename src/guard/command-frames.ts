// A command -> the frames that start it.
import { encodeByteText } from "../kit/byte-text.ts";
import type { Command } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { argumentFrames, execFrame, type ResourceLimit, stdinEndFrame } from "./host-frames.ts";
import { sizes } from "./protocol.ts";

/** A command whose environment is complete. */
export type GuardCommand = Command & { readonly environment: Readonly<Record<string, string>> };

export interface CommandOptions {
  readonly limits?: readonly ResourceLimit[];
  /** Default 0o022. */
  readonly umask?: number;
  /** Called at most once, with the length or place asked for: a file would have become longer than `fileBytes` allows. */
  readonly onFileLimit?: (bytes: number) => void;
  /** Called for each refused call that the guard tells of, at most 100. */
  readonly onRefused?: (() => void) | undefined;
}

/** Linux numbers of what a command can be limited in; core files are always off. */
export const resources = {
  cpuSeconds: 0,
  fileBytes: 1,
  stackBytes: 3,
  processes: 6,
  openFiles: 7,
  lockedBytes: 8,
  addressBytes: 9,
} as const;

function stringBlock(command: GuardCommand): Buffer {
  const environment = Object.entries(command.environment).map(([name, value]) => `${name}=${value}`);
  const strings = [command.cwd, ...command.argv, ...environment];
  for (const text of strings) {
    if (text.includes("\0"))
      throw new GloveboxError("USAGE_INVALID", "guard.argument-nul", { values: { argument: text.split("\0", 1)[0] ?? "" } });
  }
  const block = encodeByteText(`${strings.join("\0")}\0`);
  if (block.length > sizes.argumentsMax) {
    throw new GloveboxError("USAGE_INVALID", "guard.arguments-too-large", { values: { bytes: block.length, maximum: sizes.argumentsMax } });
  }
  return block;
}

/** @throws USAGE_INVALID for a NUL character, and for more than 2 MiB of arguments and environment */
export function commandFrames(stream: number, command: GuardCommand, options: CommandOptions = {}): readonly Buffer[] {
  const exec = execFrame(stream, {
    pty: command.pty,
    makesOutput: command.output !== undefined,
    argc: command.argv.length,
    envc: Object.keys(command.environment).length,
    umask: options.umask ?? 0o022,
    limits: options.limits ?? [],
  });
  const start = [...argumentFrames(stream, stringBlock(command)), exec];
  return command.hasInput === false ? [...start, stdinEndFrame(stream)] : start;
}
