// Runs one attack in one configuration on a fresh ground and judges it from the host.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { compileCache } from "../../fixtures/compile-cache.ts";
import type { Attack, Configuration, Run, Scene } from "./attack.ts";
import { type Ground, makeGround } from "./ground.ts";
import { type InsideRequest, insideEnvironment, runInside } from "./inside.ts";
import { gatherPlanted, type Gathered } from "./planted.ts";
import { runOutside } from "./outside.ts";
import { type ProgramCache, attemptLine, installProgram } from "./program.ts";

const timeoutMs = 120_000;

export interface Verdict {
  /** Seen from the host. */
  readonly succeeded: boolean;
  /** False: the program never came to its deed, so that a failure would prove nothing. */
  readonly attempted: boolean;
  readonly output: string;
  /** Behind the product's own guard alone. */
  readonly gathered: Gathered | undefined;
}

/** The descriptor number that a leaky caller leaves open. High: Node closes the low ones at its start (uv_disable_stdio_inheritance). */
const leakedNumber = 200;

async function runLeaky(
  file: string,
  words: readonly string[],
  options: { readonly leak: string; readonly cwd: string; readonly environment: Record<string, string> },
): Promise<Run> {
  const handle = await open(options.leak, "r+");
  try {
    const stdio = Array.from({ length: leakedNumber + 1 }, (_, number) =>
      number === 1 || number === 2 ? "pipe" : number === leakedNumber ? handle.fd : "ignore",
    );
    const child = spawn(file, [...words], { cwd: options.cwd, env: options.environment, stdio, timeout: timeoutMs, killSignal: "SIGKILL" });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.pipe(process.stderr);
    await once(child, "close");
    return { output: Buffer.concat(chunks).toString("latin1") };
  } finally {
    await handle.close();
  }
}

function requestFor(
  attack: Attack,
  ground: Ground,
  argv: readonly [string, ...string[]],
  configuration: Exclude<Configuration, "outside">,
): InsideRequest {
  const paths = attack.paths?.(ground) ?? ground.paths;
  return {
    configuration,
    argv,
    terminal: attack.terminal ?? false,
    hasGate: attack.hasGate ?? false,
    home: ground.home,
    project: ground.project,
    privateDirectory: ground.private,
    paths,
    ...(attack.nests === undefined ? {} : { nests: attack.nests }),
    timeoutMs,
  };
}

async function runIn(attack: Attack, scene: Scene, argv: readonly [string, ...string[]]): Promise<Run> {
  const { ground, configuration } = scene;
  const leak = attack.leaks?.(ground);
  const environment = { ...insideEnvironment(ground.home), ...attack.hostEnvironment?.(ground) };
  if (configuration !== "outside") {
    const request = requestFor(attack, ground, argv, configuration);
    if (leak === undefined && attack.hostEnvironment === undefined)
      return runInside(request, () => attack.meanwhile?.(scene) ?? Promise.resolve());
    const words = [path.join(import.meta.dirname, "leaky-run.ts"), JSON.stringify(request)];
    return JSON.parse(
      (
        await runLeaky(process.execPath, words, {
          leak: leak ?? "/dev/null",
          cwd: ground.project,
          environment: { ...environment, ...compileCache },
        })
      ).output,
    ) as Run;
  }
  await attack.meanwhile?.(scene);
  const [file, ...rest] = [...(attack.controlPrefix?.(ground) ?? []), ...argv];
  if (leak !== undefined && file !== undefined) return runLeaky(file, rest, { leak, cwd: ground.project, environment });
  return runOutside([file ?? "", ...rest], { cwd: ground.project, environment, terminal: attack.terminal ?? false, timeoutMs });
}

/** Ground, program, run, close, then the verdict. */
export async function runAttack(attack: Attack, configuration: Configuration, programs: ProgramCache): Promise<Verdict> {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const scene: Scene = { ground, configuration, programs, resources };
  const program = await installProgram(attack.program, ground.tools, programs);
  const stage = await attack.stage(scene);
  const run = await runIn(attack, scene, [...program, ...stage.arguments]);
  const succeeded = await stage.succeeded(run);
  const gathered = configuration === "both" ? await gatherPlanted(ground) : undefined;
  return { succeeded, attempted: run.output.includes(attemptLine), output: run.output, gathered };
}
