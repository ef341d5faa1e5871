// What the documents may name: read from the code, so that a document cannot outlive it.
import { globSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { commands } from "../../src/cli/commands.ts";
import { errorTable } from "../../src/contracts/error-table.ts";
import { listFiles, readText } from "./project-files.ts";

export interface DocsFacts {
  readonly root: string;
  readonly npmScripts: ReadonlySet<string>;
  /** First words of the command line, and pairs such as `policy check`. */
  readonly subcommands: ReadonlySet<string>;
  readonly errorCodes: ReadonlySet<string>;
  /** e.g. `I-01`, as ARCHITECTURE.md defines them. */
  readonly invariants: ReadonlySet<string>;
  /** Whether a path or glob below the repository names something. */
  exists(pathOrGlob: string): boolean;
  readText(file: string): string;
}

const packageSchema = z.looseObject({ scripts: z.record(z.string(), z.string()) });

/** A definition is a list item or a table row that begins with the id. */
const definition = /^(?:[-*]|\|)\s*\**(I-\d\d)\b/u;

export function readFacts(root: string): DocsFacts {
  const npm = packageSchema.parse(JSON.parse(readText(root, "package.json")));
  const architecture = listFiles(root, ["ARCHITECTURE.md"])
    .map((file) => readText(root, file))
    .join("\n");
  const invariants = architecture.split("\n").map((line) => definition.exec(line)?.[1]);
  return {
    root,
    npmScripts: new Set(Object.keys(npm.scripts)),
    subcommands: new Set(commands.flatMap(({ words }) => [words[0], words.join(" ")])),
    errorCodes: new Set(Object.keys(errorTable)),
    invariants: new Set(invariants.filter((id) => id !== undefined)),
    exists: (pathOrGlob) => globSync(path.join(root, pathOrGlob)).length > 0,
    readText: (file) => readText(root, file),
  };
}
