// The npm packages of the lock file, among them the pinned Node: are they here, at the locked versions, and does that Node run.
// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/** @typedef {{ version?: string, optional?: boolean }} LockedPackage */

/**
 * @param {string} root
 * @returns {Map<string, LockedPackage>} by path below `root`
 */
function lockedPackages(root) {
  const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  return new Map(Object.entries(lock.packages).filter(([place]) => place !== ""));
}

const pinnedPlace = `node_modules/node-linux-${process.arch}`;

/** @param {string} root */
export const pinnedNode = (root) => path.join(root, pinnedPlace, "bin/node");

/** @param {string} root */
export const pinnedVersion = (root) => lockedPackages(root).get(pinnedPlace)?.version ?? "";

/** @param {string} root */
function installedVersion(root, place = "") {
  const file = path.join(root, place, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/**
 * What the pinned Node says to `--version`, or why it says nothing.
 * @param {string} root
 */
function answerOfPinnedNode(root) {
  const answer = spawnSync(pinnedNode(root), ["--version"], { encoding: "utf8" });
  return answer.error === undefined ? `${answer.stdout}${answer.stderr}`.trim() : answer.error.message;
}

/** @param {string} root */
export function npmIsComplete(root) {
  for (const [place, { version, optional }] of lockedPackages(root)) {
    // Optional packages are other platforms' and may be absent, all but our own Node.
    if (optional === true && place !== pinnedPlace) continue;
    if (installedVersion(root, place) !== version) return false;
  }
  return answerOfPinnedNode(root) === `v${pinnedVersion(root)}`;
}

/** @param {import("./context.mjs").SetupContext} context */
export function installNpmPackages(context) {
  const environment = machineEnvironment(context.environment);
  const npm = (environment.PATH ?? "").split(":").some((directory) => existsSync(path.join(directory, "npm")));
  if (!npm) throw new SetupError("setup.no-npm");
  const command = [
    "npm",
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--engine-strict=false",
  ];
  if (!runLogged(context, command, { environment })) throw new SetupError("setup.npm-failed", {}, lastLogLines(context));
  const version = pinnedVersion(context.root);
  const answer = answerOfPinnedNode(context.root);
  if (answer !== `v${version}`) throw new SetupError("setup.pinned-node", { version, answer });
}
