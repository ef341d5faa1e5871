// The native programs: built from source by make, which also says whether anything is left to build.
// @ts-check
import { spawnSync } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * @param {import("./context.mjs").SetupContext} context
 * @param {readonly string[]} options
 */
const make = ({ forTests }, options) => ["make", "-C", "native", ...options, "all", ...(forTests ? ["test-build"] : [])];

/** @param {import("./context.mjs").SetupContext} context */
export function nativeIsBuilt(context) {
  const [file = "", ...args] = make(context, ["--question"]);
  return spawnSync(file, args, { cwd: context.root, env: machineEnvironment(context.environment), stdio: "ignore" }).status === 0;
}

/** @param {import("./context.mjs").SetupContext} context */
export function buildNative(context) {
  // Each program is one call of the compiler: as many at once as there are processors, what each says kept together.
  const atOnce = [`--jobs=${os.availableParallelism()}`, "--output-sync=target"];
  const built = runLogged(context, make(context, atOnce), { environment: machineEnvironment(context.environment) });
  if (!built) throw new SetupError("setup.make-failed", { log: path.join(context.build, "setup.log") }, lastLogLines(context));
}
