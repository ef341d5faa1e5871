// parseCommandLine(): strict options, the separator of `run`, and usage errors that show the corrected line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { commands } from "./commands.ts";
import { type CommandLine, parseCommandLine } from "./parse-command-line.ts";

const parse = (...argv: readonly string[]): CommandLine => parseCommandLine(argv, commands);

function execution(...argv: readonly string[]): Extract<CommandLine, { kind: "execute" }> {
  const line = parse(...argv);
  assert.equal(line.kind, "execute");
  return line;
}

function refuses(argv: readonly string[], situation: string, values: Readonly<Record<string, string | number>> = {}): void {
  assert.throws(
    () => parseCommandLine(argv, commands),
    (error) => {
      assert.ok(error instanceof GloveboxError);
      assert.equal(error.code, "USAGE_INVALID");
      assert.equal(error.situation, situation);
      for (const [name, value] of Object.entries(values)) assert.equal(error.values[name], value);
      return true;
    },
  );
}

test("parseCommandLine() takes everything behind -- as the command, options included", () => {
  const line = execution("run", "--wall", "90s", "--", "npm", "test", "--", "--watch", "--json");
  assert.deepEqual(line.operands, ["npm", "test", "--", "--watch", "--json"]);
  assert.equal(line.options.text("wall"), "90s");
  assert.equal(line.options.has("json"), false);
});

test("parseCommandLine() collects repeatable options in order, and takes values that begin with a dash after =", () => {
  const { options } = execution("run", "--env", "A=1", "--env=B=-2", "--deny-read=-odd", "--", "true");
  assert.deepEqual(options.list("env"), ["A=1", "B=-2"]);
  assert.deepEqual(options.list("deny-read"), ["-odd"]);
});

test("parseCommandLine() finds a command behind global options", () => {
  const line = execution("--lang", "zh", "--json", "policy", "check", "file.yaml");
  assert.deepEqual(line.command.words, ["policy", "check"]);
  assert.deepEqual(line.operands, ["file.yaml"]);
  assert.equal(line.options.text("lang"), "zh");
});

test("parseCommandLine() takes operands behind -- for other commands", () => {
  assert.deepEqual(execution("policy", "check", "--", "--odd.yaml").operands, ["--odd.yaml"]);
});

test("parseCommandLine() keeps empty and odd arguments of the command as they are", () => {
  assert.deepEqual(execution("run", "--", "printf", "", " ", "\n", "任务", "-h").operands, ["printf", "", " ", "\n", "任务", "-h"]);
});

test("parseCommandLine() shows the corrected line when -- is missing", () => {
  refuses(["run", "npm", "test"], "usage.separator-missing", { line: "glovebox run -- npm test" });
  refuses(["run", "ls", "-la"], "usage.separator-missing", { line: "glovebox run -- ls -la" });
  refuses(["--json", "run", "--wall", "9s", "sh", "-c", "echo hi"], "usage.separator-missing", {
    line: "glovebox run --json --wall 9s -- sh -c 'echo hi'",
  });
});

test("parseCommandLine() refuses run without a command, and shows one of its own", () => {
  refuses(["run"], "usage.command-missing", { example: "glovebox run -- npm test" });
  refuses(["run", "--"], "usage.command-missing");
  refuses(["run", "--", ""], "usage.command-missing");
});

test("parseCommandLine() refuses words between the options and --", () => {
  refuses(["run", "npm", "--", "test"], "usage.operand-unexpected", { operand: "npm" });
});

test("parseCommandLine() says that run is missing when only -- is there", () => {
  refuses(["--", "ls"], "usage.run-missing", { line: "glovebox run -- ls" });
});

test("parseCommandLine() refuses an unknown option and names the nearest", () => {
  refuses(["run", "--alow-write", "x", "--", "true"], "usage.option-misspelt", { near: "--allow-write" });
  refuses(["doctor", "--frobnicate"], "usage.option-unknown", { option: "--frobnicate" });
  refuses(["doctor", "-x"], "usage.option-unknown", { option: "-x" });
  refuses(["--jsn", "doctor"], "usage.option-misspelt", { near: "--json" });
  refuses(["run", "--__proto__", "--", "true"], "usage.option-unknown");
});

test("parseCommandLine() refuses options of a command that stand before it", () => {
  refuses(["--policy", "p.yaml", "run", "--", "true"], "usage.option-too-early", { option: "--policy" });
});

test("parseCommandLine() refuses missing, unexpected and repeated values", () => {
  refuses(["run", "--policy", "--json", "--", "true"], "usage.value-missing", { option: "--policy" });
  refuses(["run", "--policy", "--", "true"], "usage.value-missing", { option: "--policy" });
  for (const empty of [["--project", ""], ["--project="], ["--allow-write", ""]])
    refuses(["run", ...empty, "--", "true"], "usage.value-missing");
  refuses(["--lang"], "usage.value-missing", { option: "--lang" });
  refuses(["doctor", "--json=yes"], "usage.value-unexpected", { option: "--json" });
  refuses(["run", "--wall", "1s", "--wall", "2s", "--", "true"], "usage.option-repeated", { option: "--wall" });
});

test("parseCommandLine() refuses missing and surplus operands", () => {
  refuses(["policy", "check"], "usage.operand-missing", { operand: "FILE" });
  refuses(["diff"], "usage.operand-missing", { operand: "TASK" });
  refuses(["policy", "check", "a", "b"], "usage.operand-unexpected", { operand: "b" });
  refuses(["doctor", "x"], "usage.operand-unexpected", { operand: "x" });
});

test("parseCommandLine() refuses unknown commands and second words", () => {
  refuses(["rnu"], "usage.command-misspelt", { near: "run" });
  refuses(["frobnicate"], "usage.command-unknown", { command: "frobnicate" });
  refuses(["policy"], "usage.subcommand-missing");
  refuses(["policy", "chekc"], "usage.subcommand-unknown", { command: "policy chekc" });
  refuses(["__proto__"], "usage.command-unknown");
});

test("parseCommandLine() refuses an unknown language", () => {
  refuses(["doctor", "--lang", "fr"], "usage.language-unknown", { language: "fr" });
});

test("parseCommandLine() gives help before it judges the rest of a line", () => {
  assert.deepEqual(parse("policy", "check", "--help"), { kind: "help", words: ["policy", "check"] });
  assert.deepEqual(parse("-h"), { kind: "help", words: [] });
  assert.deepEqual(parse("run", "-h"), { kind: "help", words: ["run"] });
});
