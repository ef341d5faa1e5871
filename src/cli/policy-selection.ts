// From `--policy` and `--project` to the selection that a door understands. Paths become absolute here, against the caller's directory.
import path from "node:path";
import type { PolicySelection } from "../contracts/door.ts";
import type { CliContext, CommandInput, OptionSpec } from "./command.ts";
import { findProjectDirectory } from "./run/project-directory.ts";
import { runOverrides } from "./run/run-overrides.ts";

export const policyOption: OptionSpec = { name: "policy", value: "FILE", about: "cli.option.policy" };
export const presetOption: OptionSpec = { name: "preset", value: "NAME", isRepeatable: true, about: "cli.option.preset" };
export const projectOption: OptionSpec = { name: "project", value: "DIR", about: "cli.option.project" };

/** @throws USAGE_INVALID for a project that does not exist or is too wide */
export async function projectDirectoryOf(context: CliContext, input: CommandInput): Promise<string> {
  const asked = input.options.text("project");
  return findProjectDirectory(asked === undefined ? undefined : path.resolve(context.cwd, asked), context);
}

/** With all flags that make a policy. @throws USAGE_INVALID like projectDirectoryOf */
export async function selectPolicyWithFlags(context: CliContext, input: CommandInput): Promise<PolicySelection> {
  const selection = await selectPolicy(context, input);
  const overrides = runOverrides(input, context.cwd);
  return overrides === undefined ? selection : { ...selection, overrides: { ...selection.overrides, ...overrides } };
}

/** With `--preset` as flags. @throws USAGE_INVALID like projectDirectoryOf */
export async function selectPolicy(context: CliContext, input: CommandInput): Promise<PolicySelection> {
  const file = input.options.text("policy");
  const projectDirectory = await projectDirectoryOf(context, input);
  const presets = input.options.list("preset");
  return {
    projectDirectory,
    ...(file === undefined ? {} : { policyFile: path.resolve(context.cwd, file) }),
    ...(presets.length === 0 ? {} : { overrides: { presets } }),
  };
}
