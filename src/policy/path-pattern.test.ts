// Spellings of paths: what they mean, which are refused, and that each place has one.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { literalPath, parsePattern, resolvePath, showPattern } from "./path-pattern.ts";
import { facts } from "./testing/sources.ts";

const resolve = (text: string): string => resolvePath(literalPath(text), facts);

test("resolvePath() takes ~ and $HOME from home, relative paths from the project, and normalises", () => {
  const cases: readonly (readonly [string, string])[] = [
    [".", "/home/me/project"],
    ["./", "/home/me/project"],
    ["src//a/./b/", "/home/me/project/src/a/b"],
    ["..", "/home/me"],
    ["../../..", "/"],
    ["../../../../../etc", "/etc"],
    ["~", "/home/me"],
    ["~/", "/home/me"],
    ["~/.ssh", "/home/me/.ssh"],
    ["~/../bob", "/home/bob"],
    ["$HOME", "/home/me"],
    ["$HOME/x", "/home/me/x"],
    ["/", "/"],
    ["//etc/../usr", "/usr"],
    ["/../..", "/"],
    ["./~x", "/home/me/project/~x"],
    [String.raw`app/\[id\]/\$x/\*`, "/home/me/project/app/[id]/$x/*"],
    ["a$", "/home/me/project/a$"],
    ["a b\nc", "/home/me/project/a b\nc"],
    ["...", "/home/me/project/..."],
  ];
  for (const [text, expected] of cases) assert.equal(resolve(text), expected, text);
});

test("parsePattern() refuses what it cannot take literally, and says why", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["~bob/x", "policy.path-other-home"],
    ["$USER/x", "policy.path-variable"],
    ["$HOMEWARD", "policy.path-variable"],
    ["${HOME}/x", "policy.path-variable"],
    ["/a/$(id)", "policy.path-variable"],
    [String.raw`C:\x`, "policy.path-escape"],
    ["a\\", "policy.path-escape"],
    ["a***b", "policy.glob-stars"],
    ["x**", "policy.glob-stars"],
    ["**x/y", "policy.glob-stars"],
    ["a[", "policy.glob-class"],
    ["a[]", "policy.glob-class"],
    ["{a,b", "policy.glob-braces"],
    ["*{}", "policy.glob-braces"],
  ];
  for (const [text, situation] of cases) assert.deepEqual(parsePattern(text), { kind: "invalid", situation }, text);
});

test("parsePattern() knows globs", () => {
  for (const text of ["~/**/.env", "*.pem", "a?c", "[ab]c", "{a,b}/c", "**", "{a,{b,c}}", "[!a]x"])
    assert.equal(parsePattern(text).kind, "glob", text);
});

const pathText = fc
  .array(fc.constantFrom("a", "b", ".", "..", "", "~", "$HOME", String.raw`\*`, String.raw`\$x`, "x y", "é", "墙"), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join("/"))
  .filter((text) => text !== "" && parsePattern(text).kind === "literal");

test("showPattern() spells each place in one way that is read back as the same place", () => {
  fc.assert(
    fc.property(pathText, (text) => {
      const shown = showPattern(literalPath(text));
      assert.equal(showPattern(literalPath(shown)), shown);
      assert.equal(resolve(shown), resolve(text));
      assert.equal(path.posix.normalize(resolve(text)), resolve(text));
    }),
  );
});
