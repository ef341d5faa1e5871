// What counts as planted: listed names at any depth, hooks that are no samples, configuration that gained a line which executes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addsExecution, isGitConfig, isGitHook, isListed } from "./planted-names.ts";

test("isListed() finds names and pairs at any depth and in any letter case, not the root's own", () => {
  const listed = new Set([".envrc", ".config/fish"]);
  for (const path of ["/w/.envrc", "/w/a/.ENVRC", "/w/.config/fish", "/w/x/.config/fish/config.fish"])
    assert.equal(isListed(path, "/w", listed), true, path);
  assert.equal(isListed("/h/.config/fish", "/h/.config", listed), true);
  for (const path of ["/w/.config", "/w/fish", "/w/envrc"]) assert.equal(isListed(path, "/w", listed), false, path);
  assert.equal(isListed("/.envrc/a", "/.envrc", listed), false);
});

test("isGitHook() and isGitConfig() look below .git alone, and not among branches", () => {
  assert.equal(isGitHook("/w/.git/hooks/pre-commit", "/w"), true);
  assert.equal(isGitHook("/w/.git/modules/m/hooks/post-merge", "/w"), true);
  assert.equal(isGitHook("/w/.git/info/attributes", "/w"), true);
  assert.equal(isGitHook("/w/.git/hooks/pre-commit.sample", "/w"), false);
  assert.equal(isGitHook("/w/.git/refs/heads/hooks/x", "/w"), false);
  assert.equal(isGitHook("/w/hooks/pre-commit", "/w"), false);
  assert.equal(isGitConfig("/w/.git/config.worktree", "/w"), true);
  assert.equal(isGitConfig("/w/config", "/w"), false);
  assert.equal(isGitConfig("/w/.git/refs/heads/config", "/w"), false);
});

test("addsExecution() sees only lines that execute and were not there", () => {
  const plain = "[core]\n\tbare = false\n";
  assert.equal(addsExecution("", plain), false);
  assert.equal(addsExecution(plain, `${plain}\tfsmonitor = /x\n`), true);
  assert.equal(addsExecution(`${plain}\tpager = less\n`, `${plain}\tpager = less\n[user]\n\tname = x\n`), false);
  assert.equal(addsExecution("", '[includeIf "gitdir:x"]\n\tpath = y\n'), true);
  assert.equal(addsExecution("", "[alias]\n\tst = !x\n"), true);
  assert.equal(addsExecution("", "[core] fsmonitor = /x\n"), true);
});

test("addsExecution() looks at each character of a hostile text a few times at most", { timeout: 2000 }, () => {
  for (const text of ["\n", " ", "[", "[]", "fsmonitor", "fsmonitor ", "[core]fsmonitor"])
    assert.equal(addsExecution("", text.repeat(65_536 / text.length)), false, text);
});
