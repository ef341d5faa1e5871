// One file of all sources, so that a start loads one file instead of hundreds: half the time. It is a copy and never more than that:
// ./glovebox takes it only while no source is newer, and runs the sources themselves otherwise.
// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/** @param {string} root */
const bundler = (root) => path.join(root, "node_modules/esbuild");

/**
 * True when there is nothing to do; also where there is no bundler, as in an installed package, which comes compiled.
 * @param {import("./context.mjs").SetupContext} context
 */
export function bundleIsCurrent({ root }) {
  if (!existsSync(bundler(root))) return true;
  const judgement = 'root=$1; . "$root/scripts/setup/start.sh"; bundle_is_current';
  return spawnSync("/bin/sh", ["-c", judgement, "sh", root]).status === 0;
}

/** @param {import("./context.mjs").SetupContext} context */
export function makeBundle(context) {
  const fresh = `bundle.${process.pid}`;
  const command = [process.execPath, "scripts/setup/bundle-sources.mjs", fresh];
  const made = runLogged(context, command, { environment: machineEnvironment(context.environment) });
  const remove = (/** @type {string} */ name) => rmSync(path.join(context.root, name), { recursive: true, force: true });
  if (made) {
    // With all that was made from the old one.
    remove("bundle");
    renameSync(path.join(context.root, fresh), path.join(context.root, "bundle"));
    return;
  }
  remove(fresh);
  throw new SetupError("setup.bundle-failed", { log: path.join(context.build, "setup.log") }, lastLogLines(context));
}
