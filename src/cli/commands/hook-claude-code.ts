// `glovebox hook claude-code`: Claude Code's PreToolUse hook. Whatever goes wrong blocks: code 2, with the reason on stderr.
import { describeFailure, failureLines } from "../render/failure.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { readToolUse } from "../hooks/hook-input.ts";
import { type HookAnswer, judgeToolUse } from "../hooks/judge-tool-use.ts";
import { findProjectDirectory } from "../run/project-directory.ts";

/** What Claude Code takes for "do not": every other code but 0 lets the tool go on. */
const blocked = 2;

async function writeAnswer({ stdout, text }: CliContext, { decision, reason, updatedInput }: HookAnswer): Promise<void> {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: decision,
    permissionDecisionReason: text(reason),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
  await stdout.line(JSON.stringify({ hookSpecificOutput }));
}

async function answer(context: CliContext, { options }: CommandInput): Promise<void> {
  const use = await readToolUse(context.io.stdin);
  const projectDirectory = await findProjectDirectory(undefined, { cwd: use.cwd, home: context.home });
  const parts = {
    door: await context.door(),
    policy: { projectDirectory },
    launcher: context.launcher,
    isAutoAllowed: options.has("auto-allow"),
  };
  const given = await judgeToolUse(parts, use);
  if (given !== undefined) await writeAnswer(context, given);
}

export const hookClaudeCodeCommand: CliCommand = {
  words: ["hook", "claude-code"],
  summary: "cli.hook-claude-code.summary",
  synopsis: "",
  options: [{ name: "auto-allow", about: "cli.option.auto-allow" }],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox hook claude-code --auto-allow", about: "cli.hook-claude-code.example" }],
  notes: ["cli.hook-claude-code.note"],
  execute: async (context, input) => {
    try {
      await answer(context, input);
      return 0;
    } catch (error) {
      // fails closed because a hook that ends in any other way lets the tool go on
      const failure = describeFailure(error, context.io.env);
      await context.stderr.lines(failureLines(failure, { text: context.text, style: context.stderr.style }));
      return blocked;
    }
  },
};
