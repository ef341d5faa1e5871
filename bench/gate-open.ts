// What a gate adds to a run on a broker that is running: the whole run of `true`, where nothing may leave and where something may.
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import type { Door } from "../src/contracts/door.ts";
import { measureInTurn, printTimings } from "./measure.ts";

const rule = { id: "all", hosts: ["api.example.com"], verdict: "allow" };

async function runTrueUnder(door: Door, project: string, overrides: Readonly<Record<string, unknown>>): Promise<undefined> {
  const result = await door.run(
    { policy: { projectDirectory: project, overrides }, argv: ["/usr/bin/true"], cwd: project, callerEnvironment: {} },
    { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
  );
  if (result.outcome !== "ok") throw new Error(`Cannot measure a run: ${result.outcome}`);
  return undefined;
}

export async function benchGateOpen(rounds = 20): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  const project = path.join(base, "project");
  await mkdir(project);
  const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation: path.join(import.meta.dirname, "..") });
  try {
    const alternatives = [
      { name: "run true, nothing may leave", run: () => runTrueUnder(door, project, {}) },
      { name: "run true, through a gate", run: () => runTrueUnder(door, project, { egress: [rule] }) },
    ];
    printTimings(`a run on a running broker (${rounds} rounds in turn; budget +15 ms)`, await measureInTurn(alternatives, rounds));
  } finally {
    await door.close();
    await rm(base, { recursive: true });
  }
}
