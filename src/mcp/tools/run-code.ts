// `run_code`: a piece of Python, JavaScript or shell in the interpreter of that name, as the sandbox has it.
import * as z from "zod";
import { commandInputs, word } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

const interpreters = {
  python: ["python3", "-c"],
  node: ["node", "-e"],
  bash: ["bash", "-c"],
} as const;

const inputFor = (say: Say) =>
  z.strictObject({
    language: z.enum(["python", "node", "bash"]).describe(say({ key: "mcp.input.language" })),
    code: word().describe(say({ key: "mcp.input.code" })),
    ...commandInputs(say),
  });

export const runCode: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "run_code",
  about: "mcp.tool.run-code",
  isReadOnly: false,
  input: inputFor,
  call: async ({ language, code, cwd, stdin, timeout_seconds: seconds }, context) => {
    const [program, flag] = interpreters[language];
    return commandAnswer(await performCommand(context, { argv: [program, flag, code], cwd, input: stdin, timeoutSeconds: seconds }));
  },
};
