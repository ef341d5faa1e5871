// Every row of the escape battery that applies to containers, by every runtime, with all walls and with the runtime's alone.
import { after, before, test } from "node:test";
import { attacks } from "../escape/attacks.ts";
import { appliesToContainers, proveContained } from "../escape/harness/contained.ts";
import { openProgramCache, type ProgramCache } from "../escape/harness/program.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const user = process.getuid?.() === 0 ? "root" : "ordinary";
const rows = attacks.filter((attack) => appliesToContainers(attack, user));

let programs: ProgramCache;
before(async () => {
  programs = await openProgramCache();
});
after(() => programs[Symbol.asyncDispose]());

for (const runtime of linuxRuntimes)
  for (const walls of ["all", "runtime"] as const)
    for (const attack of rows)
      test(`container/${runtime} with the walls of ${walls} holds an attack that ${attack.name}`, () =>
        proveContained(attack, programs, { runtime, walls }));
