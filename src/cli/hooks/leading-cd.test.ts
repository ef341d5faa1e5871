// leadingCd(): what begins with a known step to another directory, and what does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leadingCd } from "./leading-cd.ts";

test("leadingCd() takes steps whose word means itself off the front, each from where the one before led", () => {
  const rows: readonly (readonly [script: string, directory: string, rest: string])[] = [
    ["cd sub && npm test", "/p/sub", "npm test"],
    ["  cd -- ./a/../b; ls", "/p/b", "ls"],
    ["cd '/x y' && a || b", "/x y", "a || b"],
    ['cd "a b"\necho 1\necho 2', "/p/a b", "echo 1\necho 2"],
    ["cd sub", "/p/sub", ""],
    ["cd sub;", "/p/sub", ""],
    ["cd a && cd ../b && cat <<X\ncd c\nX", "/p/b", "cat <<X\ncd c\nX"],
    ["cd a && cd -", "/p/a", "cd -"],
    ["cd .. && pwd", "/", "pwd"],
  ];
  for (const [script, directory, rest] of rows) assert.deepEqual(leadingCd(script, "/p"), { directory, rest }, script);
});

test("leadingCd() leaves alone what somebody else than the shell would have to tell", () => {
  const scripts = [
    "cd",
    "cd ~",
    "cd ~/x && ls",
    "cd -",
    "cd '-' && ls",
    "cd -P x",
    "cd $X && ls",
    'cd "$X"',
    "cd `x`",
    "cd a*",
    "cd a b",
    "cd {a,b}",
  ];
  const continued = [
    "cd x || ls",
    "cd x | cat",
    "cd x & ls",
    "cd x > y && ls",
    "cd x &&",
    "(cd x && ls)",
    "cdx && ls",
    "mkdir x && cd x",
    "cd a'b' && ls",
  ];
  for (const script of [...scripts, ...continued]) assert.equal(leadingCd(script, "/p"), undefined, script);
});
