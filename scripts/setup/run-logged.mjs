// Runs one program of a set-up step with its output in build/setup.log, so that a person sees steps and, on failure, the last lines.
// @ts-check
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import path from "node:path";

/** @param {{ build: string }} context */
export const logFile = ({ build }) => path.join(build, "setup.log");

/**
 * @param {{ root: string, build: string }} context
 * @param {readonly string[]} command
 * @param {{ environment: NodeJS.ProcessEnv, terminal?: boolean }} options `terminal`: the program may ask there (sudo)
 * @returns {boolean} whether it ended with 0
 */
export function runLogged(context, command, { environment, terminal = false }) {
  const [file = "", ...args] = command;
  const log = openSync(logFile(context), "a", 0o600);
  try {
    const ended = spawnSync(file, args, {
      cwd: context.root,
      env: environment,
      stdio: [terminal ? "inherit" : "ignore", log, log],
    });
    return ended.status === 0;
  } finally {
    closeSync(log);
  }
}

/**
 * @param {{ build: string }} context
 * @param {number} [count]
 */
export function lastLogLines(context, count = 20) {
  const lines = readFileSync(logFile(context), "utf8").trimEnd().split("\n");
  return lines.slice(-count);
}

/**
 * The environment for the machine's own programs: without the directories that npm puts first on PATH, which set-up may replace.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function machineEnvironment(environment) {
  const directories = (environment.PATH ?? "").split(":").filter((directory) => !directory.endsWith("/node_modules/.bin"));
  return { ...environment, PATH: directories.join(":") };
}
