// `glovebox artifact get TASK NAME`: the bytes of one file that the task handed back.
import { constants } from "node:fs";
import { open, unlink } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { usageError } from "../usage-error.ts";

const toOption = { name: "to", value: "FILE", about: "cli.artifact-get.option.to" } as const;
const commandOption = { name: "command", value: "ACTION", about: "cli.artifact-get.option.command" } as const;

/** Never in the place of something, and never through a link. */
async function writeNew(file: string, parts: Iterable<Uint8Array>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const target = await open(file, flags, 0o600).catch((error: unknown) => {
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("RESULT_UNWRITABLE", "artifact.target", { values: { file, errno }, cause: error });
  });
  try {
    for (const part of parts) await target.writeFile(part);
  } catch (error) {
    // Half of a file looks like a file.
    await unlink(file);
    throw error;
  } finally {
    await target.close();
  }
}

async function writeOut({ stdout }: CliContext, parts: Iterable<Uint8Array>): Promise<void> {
  for (const part of parts) await stdout.write(part);
}

/** What came out of a sandbox goes to no terminal as it is. INVARIANT I-13 */
function targetOf(context: CliContext, input: CommandInput): string | undefined {
  const to = input.options.text(toOption.name);
  if (to !== undefined) return path.resolve(context.cwd, to);
  if (context.isJson || context.stdout.isTerminal) throw usageError("usage.artifact-target");
  return undefined;
}

export const artifactGetCommand: CliCommand = {
  words: ["artifact", "get"],
  summary: "cli.artifact-get.summary",
  synopsis: "TASK NAME",
  options: [toOption, commandOption],
  arguments: { kind: "operands", minimum: 2, maximum: 2 },
  examples: [
    { line: "glovebox artifact get t-0193f0c2a1b2-4d5e6f708192 chart.png --to chart.png", about: "cli.artifact-get.example.file" },
    { line: "glovebox artifact get t-0193f0c2a1b2-4d5e6f708192 table.csv", about: "cli.artifact-get.example.pipe" },
  ],
  notes: ["cli.artifact-get.note"],
  execute: async (context, input) => {
    const [task = "", name = ""] = input.operands;
    const target = targetOf(context, input);
    const { artifact, parts } = await (await context.door()).artifacts.open({ task, name, action: input.options.text(commandOption.name) });
    if (target === undefined) await writeOut(context, parts);
    else await writeNew(target, parts);
    if (context.isJson) await context.stdout.write(printableJson({ task, untrusted: true, artifact, file: target }));
    return 0;
  },
};
