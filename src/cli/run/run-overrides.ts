// The flags of `run` as a fragment of a policy document. What the values mean is the policy room's work; only the shape is made here.
import path from "node:path";
import type { CommandInput, OptionSpec } from "../command.ts";
import { usageError } from "../usage-error.ts";

export const policyFlags: readonly OptionSpec[] = [
  { name: "boundary", value: "KIND", about: "cli.option.boundary" },
  { name: "runtime", value: "NAME", about: "cli.option.runtime" },
  { name: "template", value: "NAME", about: "cli.option.template" },
  { name: "allow-write", value: "PATH", isRepeatable: true, about: "cli.option.allow-write" },
  { name: "deny-write", value: "PATH", isRepeatable: true, about: "cli.option.deny-write" },
  { name: "allow-read", value: "PATH", isRepeatable: true, about: "cli.option.allow-read" },
  { name: "deny-read", value: "PATH", isRepeatable: true, about: "cli.option.deny-read" },
  { name: "allow-local", value: "HOST:PORT", isRepeatable: true, about: "cli.option.allow-local" },
  { name: "env", value: "NAME=VALUE", isRepeatable: true, about: "cli.option.env" },
  { name: "pass", value: "NAME", isRepeatable: true, about: "cli.option.pass" },
  { name: "wall", value: "TIME", about: "cli.option.wall" },
  { name: "cpu-time", value: "TIME", about: "cli.option.cpu-time" },
  { name: "cpu-cores", value: "N", about: "cli.option.cpu-cores" },
  { name: "memory", value: "SIZE", about: "cli.option.memory" },
  { name: "processes", value: "N", about: "cli.option.processes" },
  { name: "disk", value: "SIZE", about: "cli.option.disk" },
  { name: "open-files", value: "N", about: "cli.option.open-files" },
  { name: "output-limit", value: "SIZE", about: "cli.option.output-limit" },
];

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Relative paths are meant from where the caller stands; `~/` stays, since the policy knows the home directory. */
function pathsOf(input: CommandInput, option: string, cwd: string): readonly string[] {
  return input.options.list(option).map((value) => {
    if (value === "") throw usageError("usage.value-empty", { option: `--${option}` });
    return value === "~" || value.startsWith("~/") ? value : path.resolve(cwd, value);
  });
}

/** A number where it is one; what is not stays as it was written, so that the policy's own check shows it. */
function numberOf(input: CommandInput, option: string): number | string | undefined {
  const text = input.options.text(option);
  return text !== undefined && /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : text;
}

/** `--env` as variables. @throws USAGE_INVALID */
export function environmentSet(input: CommandInput): Readonly<Record<string, string>> {
  const entries = input.options.list("env").map((assignment): [string, string] => {
    const at = assignment.indexOf("=");
    const name = at === -1 ? assignment : assignment.slice(0, at);
    if (at === -1) throw usageError("usage.env-without-value", { name });
    if (!namePattern.test(name)) throw usageError("usage.env-name", { name });
    return [name, assignment.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}

/** Leaves out what was not given, so that an absent flag changes nothing. */
function given(entries: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const kept = Object.entries(entries).filter(([, value]) => {
    if (value === undefined) return false;
    if (Array.isArray(value)) return value.length > 0;
    return typeof value !== "object" || value === null || Object.keys(value).length > 0;
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A fragment of a policy document, or undefined when no flag was given. @throws USAGE_INVALID */
export function runOverrides(input: CommandInput, cwd: string): Readonly<Record<string, unknown>> | undefined {
  return given({
    boundary: input.options.text("boundary"),
    container: given({ runtime: input.options.text("runtime"), template: input.options.text("template") }),
    filesystem: given({
      allowRead: pathsOf(input, "allow-read", cwd),
      denyRead: pathsOf(input, "deny-read", cwd),
      allowWrite: pathsOf(input, "allow-write", cwd),
      denyWrite: pathsOf(input, "deny-write", cwd),
    }),
    allowLocal: input.options.list("allow-local"),
    environment: given({ pass: input.options.list("pass"), set: environmentSet(input) }),
    limits: given({
      cpuTime: input.options.text("cpu-time"),
      cpuCores: numberOf(input, "cpu-cores"),
      memory: input.options.text("memory"),
      processes: numberOf(input, "processes"),
      disk: input.options.text("disk"),
      openFiles: numberOf(input, "open-files"),
      wall: input.options.text("wall"),
      output: input.options.text("output-limit"),
    }),
  });
}

const flagsOfKeys: readonly (readonly [prefix: string, flag: string])[] = [
  ["presets", "--preset"],
  ["boundary", "--boundary"],
  ["container.runtime", "--runtime"],
  ["container.template", "--template"],
  ["filesystem.allowRead", "--allow-read"],
  ["filesystem.denyRead", "--deny-read"],
  ["filesystem.allowWrite", "--allow-write"],
  ["filesystem.denyWrite", "--deny-write"],
  ["allowLocal", "--allow-local"],
  ["environment.pass", "--pass"],
  ["environment.set", "--env"],
  ["limits.cpuTime", "--cpu-time"],
  ["limits.cpuCores", "--cpu-cores"],
  ["limits.memory", "--memory"],
  ["limits.processes", "--processes"],
  ["limits.disk", "--disk"],
  ["limits.openFiles", "--open-files"],
  ["limits.wall", "--wall"],
  ["limits.output", "--output-limit"],
];

/** The flag that put a value at this key of the fragment; undefined for a key that no flag makes. */
export function flagOfKey(key: string): string | undefined {
  return flagsOfKeys.find(([prefix]) => key === prefix || key.startsWith(`${prefix}.`) || key.startsWith(`${prefix}[`))?.[1];
}
