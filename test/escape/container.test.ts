// The escape battery against containers: rows of every kind of door that a container has, by both runtimes in turn. All rows by both, with the
// runtime's walls alone too: test/long/container-attacks.test.ts. Their positive controls are those of escape.test.ts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { attacks } from "./attacks.ts";
import { kernelDoors } from "./attacks/kernel-doors.ts";
import { namespaces } from "./attacks/namespaces.ts";
import { neighbours } from "./attacks/neighbours.ts";
import { pastTheGate } from "./attacks/past-the-gate.ts";
import { peersOfTheHost } from "./attacks/peers-of-the-host.ts";
import { privilegedFiles } from "./attacks/privileged-files.ts";
import { processes } from "./attacks/processes.ts";
import { rawNetwork } from "./attacks/raw-network.ts";
import { appliesToContainers, proveContained } from "./harness/contained.ts";
import { openProgramCache, type ProgramCache } from "./harness/program.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const user = process.getuid?.() === 0 ? "root" : "ordinary";
const chosen = [
  ...kernelDoors,
  ...namespaces,
  ...neighbours,
  ...pastTheGate,
  ...peersOfTheHost,
  ...privilegedFiles,
  ...processes,
  ...rawNetwork,
];
const rows = chosen.filter((attack) => appliesToContainers(attack, user));

let programs: ProgramCache;
before(async () => {
  programs = await openProgramCache();
});
after(() => programs[Symbol.asyncDispose]());

for (const [index, attack] of rows.entries()) {
  const runtime = linuxRuntimes[index % linuxRuntimes.length] ?? "runc";
  test(`container/${runtime} holds an attack that ${attack.name}`, () => proveContained(attack, programs, { runtime, walls: "all" }));
}

/** gVisor's kernel takes a second or more for each row: some of every kind, none that needs a gate, which a container of runsc cannot have. */
const rowsOfGvisor = rows.filter(({ hasGate }) => hasGate !== true).filter((_, index) => index % 8 === 0);
for (const attack of rowsOfGvisor)
  test(`container/runsc holds an attack that ${attack.name}`, () => proveContained(attack, programs, { runtime: "runsc", walls: "all" }));

test("many rows apply to containers", () => {
  assert.ok(rowsOfGvisor.length >= 5, `${rowsOfGvisor.length}`);
  assert.ok(rows.length >= 40, `${rows.length} of ${chosen.length}`);
  assert.ok(attacks.filter((attack) => appliesToContainers(attack, user)).length >= 200);
});
