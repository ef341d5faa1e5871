// `glovebox artifact rescue SANDBOX [PATH...]`: keeps what the commands of an open container left behind, before it ends with it.
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { showCommandArtifacts } from "./artifact-ls.ts";

/** As of a name that nothing has. */
const missingExit = 2;

export const artifactRescueCommand: CliCommand = {
  words: ["artifact", "rescue"],
  summary: "cli.artifact-rescue.summary",
  synopsis: "SANDBOX [PATH...]",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 257 },
  examples: [
    { line: "glovebox artifact rescue s-0193f0c2a1b2-4d5e6f708192", about: "cli.artifact-rescue.example.all" },
    { line: "glovebox artifact rescue s-0193f0c2a1b2-4d5e6f708192 report.txt /tmp/build", about: "cli.artifact-rescue.example.paths" },
  ],
  notes: ["cli.artifact-rescue.note"],
  execute: async (context, { operands: [sandbox = "", ...paths] }) => {
    const door = await context.door();
    await using broker = await door.reachRunningBroker();
    const { task, action, artifacts, missing } = await broker.sandboxes.rescue(await broker.access(sandbox), paths);
    const commands = artifacts === undefined ? [] : (await door.artifacts.list(task)).filter((command) => command.action === action);
    const { stdout, stderr, text } = context;
    if (context.isJson) await stdout.write(printableJson({ task, untrusted: true, commands, missing }));
    else {
      for (const command of commands) await showCommandArtifacts(context, command);
      if (commands.length > 0) await stderr.line(text({ key: "cli.artifact-rescue.kept", values: { task } }));
      else if (missing.length === 0) await stderr.line(text({ key: "cli.artifact-rescue.nothing", values: { sandbox } }));
      await stderr.lines(missing.map((path) => text({ key: "cli.artifact-rescue.missing", values: { path } })));
    }
    return missing.length > 0 ? missingExit : 0;
  },
};
