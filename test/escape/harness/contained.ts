// Tries an attack in a container. It shows nothing of the ground, so the program comes in by its standard input; judged from the host as ever.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { openContainerBoundary, type RuntimeName } from "../../../src/boundaries/container/container.ts";
import { containerOptions, runtimeAlone } from "../../fixtures/container-options.ts";
import type { Attack, Run, Scene, UserKind } from "./attack.ts";
import { makeGround } from "./ground.ts";
import { gateThatRefuses, quietContext, specFor } from "./inside.ts";
import { attemptLine, installProgram, type ProgramCache } from "./program.ts";

const timeoutMs = 120_000;
const programInside = "/tmp/program";

/** `runtime`: the walls that the container's document asks for stand alone, the guard has none of its own. */
export type Walls = "all" | "runtime";

/** Not those that need what no container can be asked for, a terminal (whose input is the program), or a caller of their own, who is the same for every boundary. */
export function appliesToContainers({ users, nests, leaks, hostEnvironment, controlPrefix, terminal }: Attack, user: UserKind): boolean {
  return (users ?? [user]).includes(user) && [nests, leaks, hostEnvironment, controlPrefix, terminal].every((need) => need === undefined);
}

function boundaryFor(runtime: RuntimeName, walls: Walls) {
  return openContainerBoundary(walls === "all" ? containerOptions(runtime) : runtimeAlone(runtime));
}

/** `/bin/sh FILE ...` or `FILE ...`, where FILE is the program. */
function insideWords(words: readonly string[]): { readonly file: string; readonly argv: readonly string[] } {
  const at = words[0] === "/bin/sh" ? 1 : 0;
  return { file: words[at] ?? "", argv: words.map((word, index) => (index === at ? programInside : word)) };
}

async function runContained(
  attack: Attack,
  scene: Scene,
  words: readonly string[],
  by: { runtime: RuntimeName; walls: Walls },
): Promise<Run> {
  const { project, home, private: privateDirectory } = scene.ground;
  const paths = { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [project], denyWrite: [] } as const;
  const egress = attack.hasGate === true ? { egress: gateThatRefuses() } : {};
  const spec = { ...specFor({ home, project, privateDirectory, paths }), ...egress };
  const sandbox = await boundaryFor(by.runtime, by.walls).open(spec, quietContext(AbortSignal.timeout(timeoutMs)));
  try {
    await attack.meanwhile?.(scene);
    const { file, argv } = insideWords(words);
    const take = `cat > ${programInside} && chmod 755 ${programInside} && exec "$@" < /dev/null`;
    const execution = await sandbox.exec({ argv: ["sh", "-c", take, "sh", ...argv], cwd: project });
    const writing = execution.writeStdin(await readFile(file)).then(() => execution.endStdin());
    let output = "";
    for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
    await writing;
    return { output };
  } finally {
    await sandbox.close();
  }
}

/** Fresh ground, fresh container. @throws AssertionError when the attack succeeded, or never came to its deed */
export async function proveContained(attack: Attack, programs: ProgramCache, by: { runtime: RuntimeName; walls: Walls }): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const scene: Scene = { ground, configuration: "both", programs, resources };
  const program = await installProgram(attack.program, ground.tools, programs);
  const stage = await attack.stage(scene);
  const run = await runContained(attack, scene, [...program, ...stage.arguments], by);
  assert.ok(run.output.includes(attemptLine), `the program never came to its deed:\n${run.output}`);
  assert.equal(await stage.succeeded(run), false, `the attack must fail:\n${run.output}`);
}
