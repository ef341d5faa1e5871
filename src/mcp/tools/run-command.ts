// `run_command`: a program with its arguments, as the policy's rules about commands see them; for a shell, the shell is the program.
import * as z from "zod";
import { argv, commandInputs } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

const inputFor = (say: Say) =>
  z.strictObject({
    argv: argv().describe(say({ key: "mcp.input.argv" })),
    ...commandInputs(say),
  });

export const runCommand: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "run_command",
  about: "mcp.tool.run-command",
  isReadOnly: false,
  input: inputFor,
  call: async ({ argv: [program = "", ...rest], cwd, stdin, timeout_seconds: seconds }, context) =>
    commandAnswer(
      await performCommand(context, {
        argv: [program, ...rest],
        cwd,
        input: stdin,
        timeoutSeconds: seconds,
      }),
    ),
};
