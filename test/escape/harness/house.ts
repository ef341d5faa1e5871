// Two runs of the real command line in one project: what the first leaves there, the second meets.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Captured, capture } from "../../../src/kit/spawn.ts";
import { commandLine } from "../../fixtures/command-line.ts";
import { makeCanary, makeGround } from "./ground.ts";
import { insideEnvironment } from "./inside.ts";

export interface House {
  readonly project: string;
  /** A directory beside the project that no rule names. */
  readonly outside: string;
  readonly canary: string;
  /** Runs a shell script behind the wall; `rules` is the user's policy for both runs, `flags` are this run's. */
  run(script: string, flags?: readonly string[]): Promise<Captured>;
}

export async function openHouse(
  resources: AsyncDisposableStack,
  rules: string,
  searchPath = "/usr/local/bin:/usr/bin:/bin",
): Promise<House> {
  const { root, home } = await makeGround(resources);
  const [project, outside, state] = [path.join(root, "work"), path.join(root, "treasure"), path.join(root, "state")];
  for (const directory of [project, outside]) await mkdir(directory);
  await mkdir(state, { mode: 0o700 });
  await mkdir(path.join(project, "build/treasure"), { recursive: true });
  const canary = makeCanary();
  await writeFile(path.join(outside, "key"), canary);
  const policy = path.join(root, "policy.yaml");
  await writeFile(policy, `apiVersion: glovebox/v1\nmetadata: {name: second-run}\nfilesystem: ${rules}\n`);
  const environment = {
    ...insideEnvironment(home),
    PATH: searchPath.replaceAll("PROJECT", project),
    XDG_STATE_HOME: state,
    XDG_RUNTIME_DIR: state,
    NO_COLOR: "1",
  };
  const words = [process.execPath, commandLine, "run", "--quiet", "--project", project, "--policy", policy];
  const shell = (script: string): readonly string[] => ["--", "/bin/sh", "-c", script, "sh", outside];
  return {
    project,
    outside,
    canary,
    run: (script, flags = []) =>
      capture("/usr/bin/env", ["-C", project, ...words, ...flags, ...shell(script)], { environment, timeoutMs: 120_000 }),
  };
}

/** The first run must work, or the second proves nothing. */
export async function plant(house: House, script: string): Promise<void> {
  const { code, stderr } = await house.run(script);
  assert.equal(code, 0, stderr);
}

/** What the mediator lets no command make, but a host program, an older run or an archive may have left. */
export async function plantFromHost(house: House, script: string): Promise<void> {
  const { code, stderr } = await capture("/usr/bin/env", ["-C", house.project, "/bin/sh", "-c", script], {
    environment: { PATH: "/usr/bin:/bin" },
  });
  assert.equal(code, 0, stderr);
}
