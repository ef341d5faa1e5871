// Generated documents: what they are made from, and that a stale one is found.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { parseModule } from "./checks/parsed-module.ts";
import { staleFiles } from "./generate.ts";
import { errorSituations } from "./generate/error-situations.ts";
import { makeErrorsPage, renderErrorsPage } from "./generate/errors-page.ts";

const module = (file: string, source: string) => parseModule(file, source);

test("errorSituations() reads direct constructions, makers and imported makers", () => {
  const maker = module(
    "src/a/a.ts",
    'export function refuse(place: string, situation: string): never { throw new GloveboxError("STATE_BUSY", situation); }',
  );
  const user = module(
    "src/a/b.ts",
    'import { refuse } from "./a.ts"; refuse("x", full ? "a.full" : "a.empty"); throw new GloveboxError("INTERNAL", "a.odd"); add({ code: "POLICY_SYNTAX", situation: "a.line", line });',
  );
  const stranger = module("src/c/c.ts", 'function refuse(where: string, what: string) {} refuse("x", "c.other");');
  assert.deepEqual(
    errorSituations([maker, user, stranger])
      .map(({ code, situation }) => `${code} ${situation}`)
      .toSorted(),
    ["INTERNAL a.odd", "POLICY_SYNTAX a.line", "STATE_BUSY a.empty", "STATE_BUSY a.full"],
  );
});

test("renderErrorsPage() shows every code once, and the hint of each situation", () => {
  const sentence = (text: string) => ({ file: "x.json", en: text, zh: text });
  const sentences = new Map([
    ["error.a.odd.message", sentence("Cannot | do it")],
    ["error.a.odd.hint", sentence("Do that")],
    ["error.b.free.message", sentence("Cannot")],
    ["error.b.free.hint", sentence("Wait")],
  ]);
  const page = renderErrorsPage([{ code: "INTERNAL", situation: "a.odd" }], sentences);
  assert.equal(page.split("\n## INTERNAL\n").length, 2);
  assert.match(page, /\| `a.odd` \| Cannot \\\| do it \| Do that \|/u);
  assert.match(page, /Other situations[^]*`b.free`/u);
});

test("makeErrorsPage() puts every sentence under a code, also those that are chosen while running", () => {
  const page = makeErrorsPage(path.join(import.meta.dirname, ".."));
  assert.doesNotMatch(page, /## Other situations/u);
  const section = (code: string): string => page.split(`\n## ${code}\n`)[1]?.split("\n## ")[0] ?? "";
  for (const [code, situation] of [
    ["POLICY_SYNTAX", "policy.anchor"],
    ["POLICY_KEY_UNKNOWN", "policy.key-unknown-near"],
    ["POLICY_VALUE_INVALID", "policy.path-escape"],
    ["POLICY_KEY_UNSUPPORTED", "policy.key-unsupported-but"],
    ["SETUP_NEEDED", "setup.no-node"],
  ] as const)
    assert.ok(section(code).includes(`| \`${situation}\` |`), situation);
});

test("staleFiles() finds a missing and a changed document", () => {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-generated-"));
  try {
    mkdirSync(path.join(root, "docs"));
    writeFileSync(path.join(root, "docs/old.md"), "old\n");
    writeFileSync(path.join(root, "docs/good.md"), "good\n");
    const files = ["old", "good", "absent"].map((name) => ({
      file: `docs/${name}.md`,
      make: () => (name === "good" ? "good\n" : "new\n"),
    }));
    assert.deepEqual(
      staleFiles(root, files).map((finding) => finding.place),
      ["docs/old.md", "docs/absent.md"],
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
