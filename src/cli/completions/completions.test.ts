// `glovebox completions`: the scripts know every command, in the language asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../commands.ts";
import { callCli } from "../testing/run-fake-cli.ts";

for (const shell of ["bash", "zsh", "fish"]) {
  test(`completions ${shell}: names every command and every option of it`, async () => {
    const { code, out } = await callCli(["completions", shell]);
    assert.equal(code, 0);
    const script = out();
    for (const { words, options } of commands) {
      for (const word of words) assert.ok(script.includes(word), word);
      for (const { name } of options) assert.ok(script.includes(shell === "fish" ? `-l ${name}` : `--${name}`), name);
    }
  });
}

test("completions: what words mean is said in the language asked for", async () => {
  const { out } = await callCli(["completions", "zsh", "--lang", "zh"]);
  assert.match(out(), /run:[^']*[\u4E00-\u9FFF]/u);
});

test("completions: a shell that it does not know is a usage error that lists those it knows", async () => {
  const { code, err } = await callCli(["completions", "csh"]);
  assert.equal(code, 2);
  assert.match(err(), /"csh".*bash, zsh, fish/u);
});
