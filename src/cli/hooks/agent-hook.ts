// What the hook of one agent is: the shape of its input, and the answer in that agent's format.
import type * as z from "zod";
import type { Texts } from "../../texts/texts.ts";
import type { HookParts } from "./judge-action.ts";

export interface AnswerOptions {
  readonly text: Texts;
  /** Whether a command that runs inside needs no question of the agent: said where the hook is set up, by a person. */
  readonly isAutoAllowed: boolean;
}

export interface AgentHook<Input> {
  schema(): z.ZodType<Input>;
  /** Where the project is looked for. Never what a model chose. @throws USAGE_INVALID */
  directoryOf(input: Input): string;
  /** One JSON document; undefined: nothing to say. @throws USAGE_INVALID for an input that the agent cannot mean */
  answer(parts: HookParts, input: Input, options: AnswerOptions): Promise<unknown>;
}
