// Reads the command line of scripts/setup.mjs: `[--yes] [--lang en|zh] setup [--yes] ...`, and what the starters add.
// @ts-check

/** @typedef {{ mode: "setup" | "needed" | "help" | "version", yes: boolean, forTests: boolean, language: string | undefined, resultFile?: string }} SetupOptions */

/**
 * @param {readonly string[]} argv
 * @returns {{ options: SetupOptions, complaint: string | undefined }} `complaint` is the argument that nobody understands
 */
export function parseArguments(argv) {
  /** @type {SetupOptions} */
  const options = { mode: "setup", yes: false, forTests: false, language: undefined };
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--yes" || argument === "-y") options.yes = true;
    else if (argument === "--for-tests") options.forTests = true;
    else if (argument === "--lang") options.language = rest.shift();
    else if (argument.startsWith("--lang=")) options.language = argument.slice("--lang=".length);
    else if (argument.startsWith("--result-file=")) options.resultFile = argument.slice("--result-file=".length);
    else if (argument === "--help" || argument === "-h" || argument === "help") options.mode = "help";
    else if (argument === "needed" || argument === "version") options.mode = argument;
    else if (argument !== "setup" && argument !== "--no-color") return { options, complaint: argument };
  }
  return { options, complaint: undefined };
}
