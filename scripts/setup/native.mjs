// The native programs: built from source by make, which also says whether anything is left to build.
// @ts-check
import { spawnSync } from "node:child_process";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/** @param {readonly string[]} targets */
const make = (targets) => ["make", "-C", "native", ...targets];

/** @param {import("./context.mjs").SetupContext} context */
export function nativeIsBuilt({ root, environment }) {
  const [file = "", ...args] = make(["--question", "all"]);
  return spawnSync(file, args, { cwd: root, env: machineEnvironment(environment), stdio: "ignore" }).status === 0;
}

/** @param {import("./context.mjs").SetupContext} context */
export function buildNative(context) {
  const built = runLogged(context, make(["all"]), { environment: machineEnvironment(context.environment) });
  if (!built) throw new SetupError("setup.make-failed", { log: path.join(context.build, "setup.log") }, lastLogLines(context));
}
