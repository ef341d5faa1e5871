// The scripts of `glovebox completions` in the real shells: what they offer where.
import assert from "node:assert/strict";
import { mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { before, after, describe, test } from "node:test";
import { spawnProcess } from "../../src/kit/spawn.ts";
import { atTerminal, type Typing } from "../fixtures/at-terminal.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const tab = "\t";
let directory = "";

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory, XDG_STATE_HOME: directory, LANG: "C.UTF-8" };
  const child = spawnProcess(program, args, { cwd: directory, environment, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  assert.equal(await promise, 0, text);
  return text;
}

const scriptOf = (shell: string): string => path.join(directory, `glovebox.${shell}`);

before(async () => {
  directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-completions-")));
  for (const shell of ["bash", "zsh", "fish"]) {
    await writeFile(scriptOf(shell), await outputOf(process.execPath, [commandLine, "completions", shell, "--lang", "en"]));
  }
});

after(() => removeScratch(directory));

/** The words of a line as the shell's own completion gives them to a function. */
async function offeredByBash(words: readonly string[]): Promise<readonly string[]> {
  const script = '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _glovebox; printf "%s\\n" "${COMPREPLY[@]}"';
  const text = await outputOf("/bin/bash", ["--norc", "-c", script, "bash", scriptOf("bash"), ...words]);
  return text.split("\n").filter((line) => line !== "");
}

async function offeredByFish(line: string): Promise<readonly string[]> {
  const text = await outputOf("/usr/bin/fish", ["--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', scriptOf("fish"), line]);
  return text.split("\n").flatMap((row) => (row === "" ? [] : (row.split("\t")[0] ?? [])));
}

/** What a person sees who types these words behind `glovebox`, which here only says what it was given. */
async function typedInto(shell: string, prepare: string, lines: readonly string[]): Promise<string> {
  const start: Typing = { after: "$ ", keys: `${prepare}; glovebox() { echo "ran: $*"; }; echo ready for 0\n` };
  const typings = lines.map((line, index): Typing => ({
    after: `ready for ${index}\r\n`,
    keys: `glovebox ${line}\necho ready for ${index + 1}\n`,
  }));
  const environment = { HOME: directory, PS1: "$ " };
  return (
    await atTerminal(shell, { environment, typings: [start, ...typings, { after: `ready for ${lines.length}\r\n`, keys: "exit\n" }] })
  ).seen;
}

describe("bash", () => {
  test("offers commands, members of a group, options, and the words of a choice", async () => {
    assert.deepEqual(await offeredByBash(["glovebox", "led"]), ["ledger"]);
    assert.deepEqual(await offeredByBash(["glovebox", "--json", "ledger", ""]), ["ls", "show", "verify"]);
    assert.deepEqual(await offeredByBash(["glovebox", "run", "--deny-w"]), ["--deny-write"]);
    assert.deepEqual(await offeredByBash(["glovebox", "run", "--lang", ""]), ["en", "zh"]);
    assert.deepEqual(await offeredByBash(["glovebox", "init", "--user", "c"]), ["claude-code", "codex", "cursor"]);
  });

  test("offers nothing of its own for a path and behind a whole command, and programs behind --", async () => {
    assert.deepEqual(await offeredByBash(["glovebox", "run", "--policy", "r"]), []);
    assert.deepEqual(await offeredByBash(["glovebox", "ledger", "verify", ""]), []);
    assert.ok((await offeredByBash(["glovebox", "run", "--policy", "run", "--", "bas"])).includes("bash"));
    assert.deepEqual(await offeredByBash(["glovebox", "run", "--", "ls", "--pol"]), []);
  });

  test("completes at a terminal when the key is pressed", async () => {
    const seen = await typedInto("bash --norc -i", `. ${scriptOf("bash")}`, [`ledger ver${tab}`, `run --result-f${tab}`]);
    assert.match(seen, /ran: ledger verify[^]*ran: run --result-file/u);
  });
});

test("zsh completes at a terminal when the key is pressed", async () => {
  const prepare = `autoload -U compinit; compinit -u -D; source ${scriptOf("zsh")}`;
  const seen = await typedInto("zsh -f -i", prepare, [`policy tru${tab}`, `run --result-f${tab}`]);
  assert.match(seen, /ran: policy trust[^]*ran: run --result-file/u);
});

test("fish offers commands, members of a group, options, and programs behind --", async () => {
  assert.ok((await offeredByFish("glovebox led")).includes("ledger"));
  assert.deepEqual((await offeredByFish("glovebox ledger ")).toSorted(), ["ls", "show", "verify"]);
  assert.deepEqual(await offeredByFish("glovebox run --deny-w"), ["--deny-write"]);
  assert.deepEqual(await offeredByFish("glovebox run --lang "), ["en", "zh"]);
  assert.ok((await offeredByFish("glovebox run -- bas")).includes("bash"));
});
