// Checks the walls between the rooms of src, and the shape of every source file. The rules are scripts/checks/walls-table.ts.
import type { Check, Finding } from "./checks/finding.ts";
import { fileShape } from "./checks/file-shape.ts";
import { judgeImport } from "./checks/judge-import.ts";
import { importsOf, parseModule, type ParsedModule, walk } from "./checks/parsed-module.ts";
import { isTest, listFiles, readText } from "./checks/project-files.ts";
import { runAlone } from "./checks/run-alone.ts";
import { recursiveDelete } from "./checks/walls-table.ts";

function* recursiveDeletes(module: ParsedModule): Generator<Finding> {
  const functions: readonly string[] = recursiveDelete.functions;
  if (module.file === recursiveDelete.file || isTest(module.file)) return;
  for (const node of walk(module.program)) {
    if (node.type !== "CallExpression") continue;
    const { callee } = node;
    const name =
      callee.type === "Identifier"
        ? callee.name
        : callee.type === "MemberExpression" && callee.property.type === "Identifier"
          ? callee.property.name
          : "";
    const call = module.source.slice(node.start, node.end);
    if (functions.includes(name) && /recursive\s*:/u.test(call)) {
      yield {
        place: `${module.file}:${module.lineOf(node)}`,
        problem: "deletes a tree",
        fix: `Use removeTree of ${recursiveDelete.file}, the only recursive delete`,
      };
    }
  }
}

/** Ways to get a module that no import shows: every wall would have a door beside it. */
const hiddenDoors: ReadonlySet<string> = new Set(["getBuiltinModule", "createRequire", "binding", "_linkedBinding", "mainModule"]);

function* hiddenImports(module: ParsedModule): Generator<Finding> {
  if (isTest(module.file)) return;
  for (const node of walk(module.program)) {
    if (node.type !== "Identifier" || !hiddenDoors.has(node.name)) continue;
    yield {
      place: `${module.file}:${module.lineOf(node)}`,
      problem: `uses ${node.name}, which gets a module without an import`,
      fix: "Import it, so that the walls can be checked",
    };
  }
}

/** @param source text of `file`, a TypeScript module below src */
export function wallFindings(file: string, source: string): Finding[] {
  const module = parseModule(file, source);
  const findings = [...recursiveDeletes(module), ...hiddenImports(module)];
  for (const { specifier, line } of importsOf(module)) {
    const complaint = judgeImport(file, specifier);
    if (complaint !== undefined) findings.push({ place: `${file}:${line}`, ...complaint });
  }
  return findings;
}

const sources = ["ts", "mjs", "c", "h", "sh"].flatMap((ending) =>
  ["src", "scripts", "test", "bench", "native"].map((room) => `${room}/**/*.${ending}`),
);

export const wallsCheck: Check = {
  name: "walls",
  run: (root) => {
    const files = listFiles(root, sources);
    if (files.length === 0) return [{ place: root, problem: "no source file was found", fix: "Start the check in the repository" }];
    const findings = files.flatMap((file) => fileShape(file, readText(root, file)));
    const modules = files.filter((file) => file.startsWith("src/") && file.endsWith(".ts"));
    return [...findings, ...modules.flatMap((file) => wallFindings(file, readText(root, file)))];
  },
};

if (import.meta.main) await runAlone(wallsCheck);
