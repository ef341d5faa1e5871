// The command that stands in an agent's settings as its hook. Whatever goes wrong blocks: code 2, with the reason on stderr.
import type { CliCommand, CliContext, CommandInput, OptionSpec } from "../command.ts";
import { describeFailure, failureLines } from "../render/failure.ts";
import { findProjectDirectory } from "../run/project-directory.ts";
import type { AgentHook } from "./agent-hook.ts";
import { readHookInput } from "./read-hook-input.ts";

/** What each of these agents takes for "do not": after other codes they may go on. */
const blocked = 2;

const autoAllow: OptionSpec = { name: "auto-allow", about: "cli.option.auto-allow" };

async function answer<Input>(
  context: CliContext,
  { options }: CommandInput,
  hook: AgentHook<Input>,
  { keepsDirectory }: HookCommandOptions,
): Promise<void> {
  const input = await readHookInput(context.io.stdin, hook.schema());
  const projectDirectory = await findProjectDirectory(undefined, { cwd: hook.directoryOf(input), home: context.home });
  const { launcher, home } = context;
  const parts = { door: await context.door(), policy: { projectDirectory }, launcher, home, keepsDirectory };
  const given = await hook.answer(parts, input, { text: context.text, isAutoAllowed: options.has(autoAllow.name) });
  if (given !== undefined) await context.stdout.line(JSON.stringify(given));
}

export interface HookCommandOptions {
  /** Whether the agent's format lets a hook take the agent's own question away. */
  readonly canAutoAllow: boolean;
  /** Whether the agent has one shell whose directory it keeps from command to command. */
  readonly keepsDirectory: boolean;
}

/** @param agent as it stands in the command line, e.g. `cursor` */
export function createHookCommand<Input>(agent: string, hook: AgentHook<Input>, given: HookCommandOptions): CliCommand {
  const { canAutoAllow } = given;
  return {
    words: ["hook", agent],
    summary: `cli.hook-${agent}.summary`,
    synopsis: "",
    options: canAutoAllow ? [autoAllow] : [],
    arguments: { kind: "operands", minimum: 0, maximum: 0 },
    examples: [{ line: `glovebox hook ${agent}${canAutoAllow ? " --auto-allow" : ""}`, about: `cli.hook-${agent}.example` }],
    notes: [`cli.hook-${agent}.note`],
    execute: async (context, input) => {
      try {
        await answer(context, input, hook, given);
        return 0;
      } catch (error) {
        // fails closed because a hook that ends in any other way may let the tool go on
        const failure = describeFailure(error, context.io.env);
        await context.stderr.lines(failureLines(failure, { text: context.text, style: context.stderr.style }));
        return blocked;
      }
    },
  };
}
