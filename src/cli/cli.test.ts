// runCli(): dispatch, help in both languages, usage errors, failures, JSON, colour and language; with a fake door and fake streams.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import type { PolicyProblem } from "../contracts/policy-port.ts";
import { catalogue } from "../texts/texts.ts";
import { commands } from "./commands.ts";
import { callCli } from "./testing/run-fake-cli.ts";

const colour = /\p{Cc}\[\d/u;
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const names = commands.map((command) => command.words.join(" "));

test("runCli() prints help for every command in both languages without opening the door", async () => {
  for (const name of names) {
    for (const lang of ["en", "zh"]) {
      const words = name.split(" ");
      // Words behind a command that reads them itself are not ours.
      const isVerbatim = commands.some((command) => command.arguments.kind === "verbatim" && command.words.join(" ") === name);
      const behind = await callCli(isVerbatim ? ["--lang", lang, "--help", ...words] : [...words, "--help", "--lang", lang]);
      const asked = await callCli(["--lang", lang, "help", ...words]);
      assert.equal(behind.code, 0, name);
      assert.equal(behind.doorOpened, 0);
      assert.equal(behind.err(), "");
      assert.equal(asked.out(), behind.out());
      assert.match(behind.out(), new RegExp(`glovebox ${name}`, "u"));
      assert.doesNotMatch(behind.out(), /\bcli\.|\bsheet\.|\{\w+\}/u, `a key or an unfilled value shows in ${name}`);
    }
  }
});

test("runCli() help differs between the languages, follows LANG, and obeys --lang before it", async () => {
  const english = await callCli(["--help"], { env: { LANG: "en_US.UTF-8" } });
  const chinese = await callCli(["--help"], { env: { LANG: "zh_CN.UTF-8" } });
  assert.match(english.out(), /Usage/u);
  assert.match(chinese.out(), /用法/u);
  assert.equal((await callCli(["--lang", "en", "--help"], { env: { LANG: "zh_CN.UTF-8" } })).out(), english.out());
  assert.equal((await callCli(["--lang=zh", "--help"])).out(), chinese.out());
});

test("runCli() help lines stay within 130 columns", async () => {
  for (const words of [[], ...names.map((name) => name.split(" "))]) {
    for (const line of (await callCli(["help", ...words])).out().split("\n")) assert.ok(line.length <= 130, line);
  }
});

test("runCli() without arguments shows the overview on stderr and fails", async () => {
  const call = await callCli([]);
  assert.equal(call.code, 2);
  assert.equal(call.out(), "");
  for (const name of names) assert.match(call.err(), new RegExp(`^ {2}${name} `, "mu"));
});

test("runCli() help of a group lists its members", async () => {
  const call = await callCli(["policy", "--help"]);
  assert.equal(call.code, 0);
  for (const member of ["check", "show", "hash", "trust", "schema"]) assert.match(call.out(), new RegExp(`policy ${member}`, "u"));
  assert.doesNotMatch(call.out(), /ledger/u);
});

test("runCli() help refuses a command that does not exist and suggests the nearest", async () => {
  const call = await callCli(["help", "legder"]);
  assert.equal(call.code, 2);
  assert.match(call.err(), /glovebox ledger/u);
});

test("runCli() --version prints the version, as JSON too", async () => {
  assert.equal((await callCli(["--version"])).out(), "glovebox 1.2.3\n");
  assert.deepEqual(JSON.parse((await callCli(["--version", "--json"])).out()), { version: "1.2.3" });
});

test("runCli() --json gives help and completions as one document", async () => {
  const help = await callCli(["help", "run"]);
  for (const line of [
    ["run", "--help", "--json"],
    ["help", "run", "--json"],
  ])
    assert.deepEqual(JSON.parse((await callCli(line)).out()), { help: help.out().trimEnd() });
  const script = await callCli(["completions", "bash"]);
  assert.deepEqual(JSON.parse((await callCli(["completions", "bash", "--json"])).out()), { shell: "bash", script: script.out() });
});

test("runCli() help shows an option once, as the command means it", async () => {
  const help = (await callCli(["help", "challenge"])).out();
  assert.equal(help.match(/^ {2}--yes /gmu)?.length, 1, help);
});

test("runCli() shows an error as message, code and next step on stderr, and exits by the table", async () => {
  const error = new GloveboxError("POLICY_DENIED", "run.denied", { values: { command: "rm", rule: "c1" } });
  const call = await callCli(["doctor"], { door: { doctor: () => Promise.reject(error) } });
  assert.equal(call.code, 120);
  assert.equal(call.out(), "");
  const lines = call.err().trimEnd().split("\n");
  assert.match(lines[0] ?? "", /^glovebox: Cannot run "rm"/u);
  assert.match(lines[1] ?? "", /^ {2}code: POLICY_DENIED$/u);
  assert.match(lines[2] ?? "", /^ {2}next: \S/u);
});

test("runCli() --json shows an error as one document on stdout", async () => {
  const error = new GloveboxError("STATE_BUSY", "run.denied", { values: { command: "rm", rule: "c1" } });
  const call = await callCli(["doctor", "--json"], { openDoor: () => Promise.reject(error) });
  assert.equal(call.code, 125);
  assert.equal(call.err(), "");
  const document: unknown = JSON.parse(call.out());
  assert.ok(typeof document === "object" && document !== null && "error" in document);
  const { error: shown } = document;
  assert.ok(typeof shown === "object" && shown !== null && "code" in shown && "message" in shown && "hint" in shown && "values" in shown);
  assert.equal(shown.code, "STATE_BUSY");
  assert.deepEqual(shown.values, { command: "rm", rule: "c1" });
});

test("runCli() turns an unknown exception into INTERNAL without a stack, and shows the stack with GLOVEBOX_DEBUG=1", async () => {
  const door = { doctor: () => Promise.reject(new TypeError("boom \u001B[31m")) };
  const call = await callCli(["doctor"], { door });
  assert.equal(call.code, 125);
  assert.match(call.err(), /INTERNAL/u);
  assert.match(call.err(), /boom/u);
  assert.doesNotMatch(call.err(), /\bat .*\.ts/u);
  const debugged = await callCli(["doctor"], { door, env: { GLOVEBOX_DEBUG: "1" } });
  assert.match(debugged.err(), /\bat .*\.ts/u);
  assert.doesNotMatch(debugged.err().replaceAll("\n", ""), controls);
});

test("runCli() reports even a thrown value that is no Error", async () => {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- this is what the test is about
  const call = await callCli(["doctor"], { door: { doctor: () => Promise.reject("text") } });
  assert.equal(call.code, 125);
  assert.match(call.err(), /INTERNAL/u);
});

test("runCli() names the flag of a problem on the command line, and tells one that stands nowhere as any other refusal", async () => {
  const shown = async (label: string, key: string, values: PolicyProblem["values"]): Promise<string> => {
    const problem = {
      code: "POLICY_VALUE_INVALID" as const,
      situation: "policy.write-root-home",
      values: { file: label, line: 1, key, ...values },
      label,
      line: 1,
      key,
    };
    const error = new PolicyError([problem]);
    return (await callCli(["run", "--", "x"], { door: { run: () => Promise.reject(error) } })).err();
  };
  const flag = await shown("command line", "filesystem.allowWrite[0]", { value: "~", root: "/home/me" });
  assert.match(flag, /^Cannot use "--allow-write": "~"/mu);
  assert.doesNotMatch(flag, /command line|filesystem\.allowWrite\[0\]/u);
  const nowhere = await shown("", "", { value: ".", root: "/tmp" });
  assert.match(nowhere, /^glovebox: Cannot use "/u);
  assert.doesNotMatch(nowhere, /1 problem/u);
});

test("runCli() puts no blank behind a full-width colon", async () => {
  const { err } = await callCli(["--lang", "zh", "run", "--frob", "--", "x"]);
  assert.match(err(), /^ {2}代码：USAGE_INVALID$/mu);
  assert.match(err(), /^ {2}下一步：\S/mu);
});

test("runCli() lists every problem of a refused policy with file, line and key", async () => {
  const problem = (line: number, key: string): PolicyProblem => ({
    code: "POLICY_KEY_UNKNOWN",
    situation: "usage.option-repeated",
    values: { option: key },
    label: "glovebox.yaml",
    line,
    key,
  });
  const error = new PolicyError([problem(3, "filesystem.allowRaed"), problem(0, "limits.\u202Ewall")]);
  const call = await callCli(["policy", "hash"], { door: { policy: () => Promise.reject(error) } });
  assert.equal(call.code, 2);
  assert.match(call.err(), /2 problems/u);
  assert.match(call.err(), /^glovebox\.yaml:3: Cannot use "filesystem\.allowRaed"/mu);
  assert.match(call.err(), /^glovebox\.yaml: Cannot use "limits\.\\u\{202e\}wall"/mu);
  const json = await callCli(["policy", "hash", "--json"], { door: { policy: () => Promise.reject(error) } });
  const { error: shown } = JSON.parse(json.out()) as { error: { problems: readonly { line: number }[] } };
  assert.deepEqual(
    shown.problems.map(({ line }) => line),
    [3, 0],
  );
});

test("runCli() escapes and cuts hostile values in an error", async () => {
  const hostile = `\u001B]52;c;x\u0007\u202E\u200B${"A".repeat(10_000)}`;
  const error = new GloveboxError("POLICY_DENIED", "run.denied", { values: { command: hostile, rule: hostile } });
  const call = await callCli(["doctor"], { door: { doctor: () => Promise.reject(error) }, terminals: ["stderr"], env: { NO_COLOR: "1" } });
  assert.doesNotMatch(call.err().replaceAll("\n", ""), controls);
  assert.match(call.err(), /\\x1b\]52/u);
  assert.ok(call.err().length < 6000, `${call.err().length} characters`);
});

test("runCli() colours a terminal only, and neither with NO_COLOR, --no-color, TERM=dumb nor FORCE_COLOR in a pipe", async () => {
  const terminals = ["stdout", "stderr"] as const;
  assert.match((await callCli(["doctor"], { terminals })).out(), colour);
  for (const plain of [
    { argv: ["doctor"], options: { env: { FORCE_COLOR: "1" } } },
    { argv: ["doctor"], options: { terminals, env: { NO_COLOR: "1" } } },
    { argv: ["doctor"], options: { terminals, env: { TERM: "dumb" } } },
    { argv: ["doctor", "--no-color"], options: { terminals } },
  ]) {
    assert.doesNotMatch((await callCli(plain.argv, plain.options)).out(), colour);
  }
  assert.match((await callCli(["doctor"], { terminals, env: { NO_COLOR: "" } })).out(), colour);
});

test("runCli() ends quietly with 141 when the reader of its output left", async () => {
  const call = await callCli(["doctor"], { stdoutFailure: { errno: "EPIPE", at: 0 } });
  assert.equal(call.code, 141);
  assert.equal(call.err(), "");
});

test("runCli() reports a full disk under its output", async () => {
  const call = await callCli(["doctor"], { stdoutFailure: { errno: "ENOSPC", at: 0 } });
  assert.equal(call.code, 125);
  assert.match(call.err(), /ENOSPC[^]*code: RESULT_UNWRITABLE/u);
});

test("runCli() accepts --yes everywhere and ignores it", async () => {
  assert.equal((await callCli(["--yes", "doctor"])).out(), (await callCli(["doctor", "--yes"])).out());
});

test("every sentence key that a command names is in the catalogue", () => {
  const keys = commands.flatMap((command) => [
    command.summary,
    ...(command.notes ?? []),
    ...command.options.map(({ about }) => about),
    ...command.examples.map(({ about }) => about),
  ]);
  assert.ok(keys.length > 40);
  for (const key of keys) assert.ok(catalogue().has(key), key);
});

test("every example of a command is a line that the command line accepts", async () => {
  const { parseCommandLine } = await import("./parse-command-line.ts");
  for (const command of commands) {
    assert.ok(command.examples.length > 0, command.words.join(" "));
    for (const { line } of command.examples) {
      const argv = line
        .replace(/ > .*$/u, "")
        .split(" ")
        .slice(1);
      assert.doesNotThrow(() => parseCommandLine(argv, commands), line);
    }
  }
});
