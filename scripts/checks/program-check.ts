// A check that is a program of its own (formatter, linter, compiler): its complaints are its output.
import { execFile } from "node:child_process";
import path from "node:path";
import type { Check } from "./finding.ts";
import type { ProgramCommand } from "./program-commands.ts";

const repository = path.dirname(path.dirname(import.meta.dirname));

export function programCheck(name: string, command: ProgramCommand, fix: string): Check {
  return {
    name,
    run: async (root) => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const [file, ...args] = command;
      // The linter's and compiler's own starters are scripts: they run with this Node, whatever PATH says.
      execFile(process.execPath, [path.join(repository, file), ...args], { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        resolve(error === null ? undefined : `${stdout}${stderr}`.trim() || error.message);
      });
      const problem = await promise;
      return problem === undefined ? [] : [{ place: name, problem, fix }];
    },
  };
}
