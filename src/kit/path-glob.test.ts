// Patterns of paths: what matches, what may match below, and how braces unfold.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { expandBraces, globSegments, walkGlob } from "./path-glob.ts";

const matches = (pattern: string, path: string): boolean => walkGlob(globSegments(pattern), path).matches.includes(path);

test("walkGlob() matches names as a person reads the pattern", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["/home/me/**/.env", "/home/me/.env", true],
    ["/home/me/**/.env", "/home/me/a/b/.env", true],
    ["/home/me/**/.env", "/home/me/a/.environment", false],
    ["/home/me/**/.env", "/home/you/.env", false],
    ["/p/*.pem", "/p/.pem", true],
    ["/p/*.pem", "/p/a/b.pem", false],
    ["/p/**/*.pem", "/p/.hidden/b.pem", true],
    ["/p/?", "/p/é", true],
    ["/p/?", "/p/ab", false],
    ["/p/[a-c]x", "/p/bx", true],
    ["/p/[!a-c]x", "/p/bx", false],
    ["/p/[^a-c]x", "/p/dx", true],
    ["/p/[a\\]b]", "/p/]", true],
    ["/p/a*b*c", "/p/a1b2b3c", true],
    ["/p/a*b*c", "/p/a1b2", false],
    ["/p/\\*", "/p/*", true],
    ["/p/\\*", "/p/x", false],
    ["/p/**", "/p", true],
    ["/p/**/x/**/y", "/p/x/y", true],
    ["/p/.ENV", "/p/.env", false],
    ["/p/*\n*", "/p/a\nb", true],
  ];
  for (const [pattern, path, expected] of rows) assert.equal(matches(pattern, path), expected, `${pattern} ${path}`);
});

test("walkGlob() names every beginning of a path that matches, and knows where nothing can", () => {
  const segments = globSegments("/p/**/keys");
  assert.deepEqual(walkGlob(segments, "/p/keys/a/keys/b").matches, ["/p/keys", "/p/keys/a/keys"]);
  assert.equal(walkGlob(segments, "/p/a").mayMatchBelow, true);
  assert.equal(walkGlob(segments, "/q").mayMatchBelow, false);
  assert.equal(walkGlob(segments, "/").mayMatchBelow, true);
});

test("expandBraces() unfolds nested braces, keeps escaped ones, and gives up on too many", () => {
  assert.deepEqual(expandBraces("a{b,{c,d}}e"), ["abe", "ace", "ade"]);
  assert.deepEqual(expandBraces("\\{a,b\\}"), ["\\{a,b\\}"]);
  assert.deepEqual(expandBraces("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
  assert.equal(expandBraces("{a,b}".repeat(7)), undefined);
});

test("walkGlob() agrees with a naive reading of stars", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 6 });
  const pattern = fc
    .string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 6 })
    .filter((text) => !text.includes("**") && text !== ".");
  fc.assert(
    fc.property(
      pattern,
      name.filter((text) => text !== ""),
      (glob, text) => {
        const naive = new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("?", ".").replaceAll("*", ".*")}$`, "u");
        assert.equal(matches(`/${glob}`, `/${text}`), naive.test(text));
      },
    ),
  );
});
