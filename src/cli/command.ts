// What one operation of the command line is: one small object in one file, listed once in commands.ts.
import type { Door } from "../contracts/door.ts";
import type { McpServers } from "../contracts/mcp-servers.ts";
import type { Language, Texts } from "../texts/texts.ts";
import type { CliIo } from "./cli-io.ts";
import type { OptionValues } from "./option-values.ts";
import type { Output } from "./output.ts";

/** One `--name`. Every sentence is a key of the catalogue. */
export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** How its value is written in help, e.g. `FILE`; absent for a switch. */
  readonly value?: string;
  readonly isRepeatable?: true;
  readonly about: string;
}

export interface Example {
  /** A line that can be pasted. */
  readonly line: string;
  readonly about: string;
}

/**
 * `operands`: words that follow. `command`: everything after `--` is somebody else's command line, behind `before` words of ours.
 * `verbatim`: every word behind the command's own is read by it alone, as another tool would.
 */
export type Arguments =
  | { readonly kind: "operands"; readonly minimum: number; readonly maximum: number }
  | { readonly kind: "command"; readonly before?: number }
  | { readonly kind: "verbatim" };

export interface CliContext {
  readonly io: CliIo;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly text: Texts;
  readonly language: Language;
  /** `--json`: data on stdout is one JSON document. */
  readonly isJson: boolean;
  /** `--no-color` */
  readonly isPlain: boolean;
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
  /** The program that starts Glovebox, absolute: for commands that others are to run. */
  readonly launcher: string;
  /** Opens the house on first use; help and usage errors never call it. */
  door(): Promise<Door>;
  mcp(): Promise<McpServers>;
}

export interface CommandInput {
  readonly options: OptionValues;
  readonly operands: readonly string[];
}

export interface CliCommand {
  /** e.g. `["policy", "check"]` */
  readonly words: readonly [string, ...string[]];
  readonly summary: string;
  /** What follows the options in the usage line, e.g. `FILE`. */
  readonly synopsis: string;
  readonly options: readonly OptionSpec[];
  readonly arguments: Arguments;
  readonly examples: readonly Example[];
  /** Further paragraphs of help. */
  readonly notes?: readonly string[];
  /** Returns the exit code. */
  execute(context: CliContext, input: CommandInput): Promise<number>;
}
