// The checks that are programs of their own, each with planted faults: a configuration that finds nothing proves nothing.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { programCheck } from "../../scripts/checks/program-check.ts";
import { formatCommand, lintCommand, typesCommand } from "../../scripts/checks/program-commands.ts";

const repository = path.dirname(path.dirname(import.meta.dirname));

/** A project with our configuration and these files; the packages lie above it, where no tool takes them for sources. */
function openProject(files: Readonly<Record<string, string>>): { readonly root: string } & Disposable {
  const outer = mkdtempSync(path.join(tmpdir(), "glovebox-checks-"));
  const root = path.join(outer, "project");
  symlinkSync(path.join(repository, "node_modules"), path.join(outer, "node_modules"));
  for (const name of [".oxlintrc.json", ".oxfmtrc.json", ".editorconfig", "tsconfig.json", "package.json"]) {
    cpSync(path.join(repository, name), path.join(root, name));
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return { root, [Symbol.dispose]: () => rmSync(outer, { recursive: true, force: true }) };
}

const clean = "// Adds.\nexport const add = (a: number, b: number): number => a + b;\n";

const lintFaults: readonly (readonly [rule: string, source: string, file?: string])[] = [
  ["no-explicit-any", "export const a: any = 1;"],
  ["no-non-null-assertion", "export const a = (b: string | undefined): string => b!;"],
  ["consistent-type-assertions", "export const a = (b: unknown): string => b as string;"],
  ["no-floating-promises", "export function a(b: () => Promise<void>): void {\n  b();\n}"],
  ["no-misused-promises", "export const a = (b: () => Promise<boolean>): number => (b() ? 1 : 2);"],
  ["no-unsafe-assignment", "export const a: { b: number } = JSON.parse('1');"],
  ["no-restricted-imports", 'import { spawn } from "node:child_process";\nexport const a = spawn;'],
  ["no-console", "console.log(1);\nexport {};"],
  ["switch-exhaustiveness-check", 'export function a(b: "x" | "y"): void {\n  switch (b) {\n    case "x":\n      break;\n  }\n}'],
  ["only-throw-error", "export function a(): never {\n  throw 1;\n}"],
  ["no-default-export", "export default 1;"],
  ["ban-ts-comment", "// @ts-ignore\nexport const a: number = 'x';"],
  ["no-floating-promises", "export const a = (b: () => Promise<void>): void => {\n  b();\n};", "test/a.test.ts"],
];

test("the linter finds each planted fault by its rule", async () => {
  const placed = lintFaults.map(([rule, source, file], index) => ({ rule, source, file: file ?? `src/fault-${index}.ts` }));
  using project = openProject(Object.fromEntries(placed.map(({ file, source }) => [file, `// Planted.\n${source}\n`])));
  const [finding] = await programCheck("lint", lintCommand, "x").run(project.root);
  const complaints = (finding?.problem ?? "").split("\n");
  for (const { rule, file } of placed) {
    const found = complaints.some((complaint) => complaint.includes(`(${rule})`) && complaint.startsWith(`${file}:`));
    assert.ok(found, `${rule} in ${file}`);
  }
});

test("formatter, linter and compiler accept a clean file", async () => {
  using project = openProject({ "src/add.ts": clean });
  for (const command of [formatCommand, lintCommand, typesCommand]) {
    assert.deepEqual(await programCheck(command[0], command, "x").run(project.root), []);
  }
});

test("the formatter finds a planted fault and names the file", async () => {
  using project = openProject({ "src/add.ts": clean.replaceAll('"', "'").replace("a + b", "a+b") });
  assert.match((await programCheck("format", formatCommand, "x").run(project.root))[0]?.problem ?? "", /src\/add.ts/u);
});

test("the compiler finds a planted fault", async () => {
  using project = openProject({ "src/add.ts": clean.replace("a + b", "`${a}`") });
  assert.match((await programCheck("types", typesCommand, "x").run(project.root))[0]?.problem ?? "", /TS2322/u);
});
