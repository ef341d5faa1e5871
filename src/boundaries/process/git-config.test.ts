// What is copied of a git configuration, and that nothing which runs a program or reads a file is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sanitiseGitConfig } from "./git-config.ts";

test("sanitiseGitConfig() keeps names, colours and harmless keys", () => {
  const text = '[user]\n\tname = Ann Example\n\temail = "ann@example.org"\n[color]\n  ui = auto\n[init]\ndefaultBranch = main\n';
  assert.equal(
    sanitiseGitConfig(text),
    '[user]\n\tname = "Ann Example"\n[user]\n\temail = "ann@example.org"\n[color]\n\tui = "auto"\n[init]\n\tdefaultBranch = "main"\n',
  );
});

test("sanitiseGitConfig() drops keys that execute, include or authenticate", () => {
  const keys = [
    "[alias]\nx = !sh",
    "[core]\npager = evil",
    "[core]\nhooksPath = /x",
    "[include]\npath = /x",
    "[credential]\nhelper = store",
    '[url "https://token@host/"]\ninsteadOf = x',
    "[user]\nsigningkey = k",
  ];
  assert.equal(sanitiseGitConfig(keys.join("\n")), "");
});

test("sanitiseGitConfig() drops what it does not understand: subsections, continuations, quotes, comments, controls", () => {
  const odd = [
    '[color "branch"]\ncurrent = red',
    "[user]\nname = a\\\nb = c",
    '[user]\nname = "a\\nb"',
    "[user]\nname = a # b",
    "[user]\nname = a\u0007b",
    "[user] name = x",
  ];
  for (const text of odd) assert.equal(sanitiseGitConfig(text), "", text);
});
