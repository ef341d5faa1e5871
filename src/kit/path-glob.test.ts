// Patterns of paths: what matches, what may match below, and how braces unfold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import * as z from "zod";
import { decodeByteText } from "./byte-text.ts";
import { expandBraces, globSegments, walkGlob } from "./path-glob.ts";

const rowSchema = z.strictObject({
  pattern: z.string(),
  path: z.string().optional(),
  pathHex: z.string().optional(),
  matches: z.boolean(),
  folds: z.literal(true).optional(),
  why: z.string().optional(),
});
const vectors = z
  .strictObject({ about: z.string(), rows: z.array(rowSchema) })
  .parse(JSON.parse(readFileSync(new URL("../../test/vectors/policy/globs.json", import.meta.url), "utf8")));

const matches = (pattern: string, path: string): boolean => walkGlob(globSegments(pattern), path).matches.includes(path);

test("walkGlob() answers every published row that does not fold letter case", () => {
  const rows = vectors.rows.filter(({ folds }) => folds === undefined);
  assert.ok(rows.length >= 45);
  for (const { pattern, path, pathHex, matches: expected } of rows) {
    const asked = path ?? decodeByteText(Buffer.from(pathHex ?? "", "hex"));
    assert.equal(matches(pattern, asked), expected, `${pattern} ${path ?? pathHex}`);
  }
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
