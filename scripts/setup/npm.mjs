// The npm packages of the lock file, among them the pinned Node: are they here, at the locked versions, and does that Node run.
// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/** @typedef {{ version?: string, optional?: boolean }} LockedPackage */

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/**
 * @param {string} root
 * @returns {Map<string, LockedPackage>} by path below `root`; empty in an installed package, which has no lock file and whose packages npm keeps
 */
function lockedPackages(root) {
  const file = path.join(root, "package-lock.json");
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(readJson(file).packages).filter(([place]) => place !== ""));
}

const pinnedName = `node-linux-${process.arch}`;

/** @param {string} root */
export const pinnedVersion = (root) => String(readJson(path.join(root, "package.json")).optionalDependencies[pinnedName]);

/** @param {string} root */
const pinnedNodes = (root) =>
  [path.join(root, "node_modules"), path.dirname(root)].map((place) => path.join(place, pinnedName, "bin/node"));

/** @param {string} root */
function installedVersion(root, place = "") {
  const file = path.join(root, place, "package.json");
  return existsSync(file) ? readJson(file).version : undefined;
}

/**
 * What the pinned Node says to `--version`, or why it says nothing.
 * @param {string} root
 */
function answerOfPinnedNode(root) {
  const node = pinnedNodes(root).find((file) => existsSync(file));
  if (node === undefined) return "(not there)";
  const answer = spawnSync(node, ["--version"], { encoding: "utf8" });
  return answer.error === undefined ? `${answer.stdout}${answer.stderr}`.trim() : answer.error.message;
}

/** @param {string} root */
export function npmIsComplete(root) {
  for (const [place, { version, optional }] of lockedPackages(root)) {
    // Optional packages are other platforms' and may be absent, all but our own Node.
    if (optional === true && place !== `node_modules/${pinnedName}`) continue;
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
