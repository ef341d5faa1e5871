// The two dialects of ini.
import assert from "node:assert/strict";
import { test } from "node:test";
import { npmEntries, pythonEntries } from "./ini-entries.ts";

test("npmEntries() reads keys and values with their lines, and no comment", () => {
  const text = '; note\nregistry = "https://a.example/"\n\n@scope:registry=https://b.example/\nca[]=x\n';
  assert.deepEqual(
    npmEntries(text).map(({ key, value, line }) => [key, value, line]),
    [
      ["registry", "https://a.example/", 2],
      ["@scope:registry", "https://b.example/", 4],
      ["ca", "x", 5],
    ],
  );
});

test("pythonEntries() joins continuation lines, and takes keys as pip does", () => {
  const text =
    "[Global]\nIndex_URL: https://a.example/\nextra-index-url =\n    https://b.example/\n    https://c.example/\n# x\n[install]\nno-index = yes\n";
  assert.deepEqual(
    pythonEntries(text).map(({ section, key, value, line }) => [section, key, value, line]),
    [
      ["global", "index-url", "https://a.example/", 2],
      ["global", "extra-index-url", "https://b.example/\nhttps://c.example/", 3],
      ["install", "no-index", "yes", 8],
    ],
  );
});
