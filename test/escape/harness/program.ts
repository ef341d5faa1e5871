// Puts an attack's program into a ground: a script as it is, a C source compiled once per process by gcc, statically.
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Program } from "./attack.ts";

const run = promisify(execFile);
const sources = path.join(import.meta.dirname, "..", "programs");

/** Printed by every program before the deed: without it a run proves nothing, since the program may never have started. */
export const attemptLine = "attempting";

export interface ProgramCache extends AsyncDisposable {
  /** The compiled form of test/escape/programs/NAME.c. */
  compiled(name: string): Promise<string>;
}

export async function openProgramCache(): Promise<ProgramCache> {
  const directory = await mkdtemp(path.join(os.tmpdir(), "gb-programs-"));
  const builds = new Map<string, Promise<string>>();
  const build = async (name: string): Promise<string> => {
    const binary = path.join(directory, name);
    await run("gcc", [
      "-std=gnu17",
      "-O1",
      "-Wall",
      "-Wextra",
      "-Werror",
      "-static",
      "-pthread",
      "-o",
      binary,
      path.join(sources, `${name}.c`),
    ]);
    return binary;
  };
  return {
    compiled(name) {
      const known = builds.get(name) ?? build(name);
      builds.set(name, known);
      return known;
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Installs the program in `tools` and answers the words that start it. */
export async function installProgram(program: Program, tools: string, cache: ProgramCache): Promise<readonly [string, ...string[]]> {
  if ("c" in program) {
    const binary = path.join(tools, program.c);
    await copyFile(await cache.compiled(program.c), binary);
    await chmod(binary, 0o755);
    return [binary];
  }
  const script = path.join(tools, "attack.sh");
  await writeFile(script, `echo ${attemptLine}\n${program.sh}\n`);
  await chmod(script, 0o755);
  return ["/bin/sh", script];
}
