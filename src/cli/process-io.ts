// The real standard streams, environment and signals, in the shape that the command line is handed.
import { existsSync } from "node:fs";
import { isInBackground } from "../kit/foreground.ts";
import { isNullDevice } from "../kit/null-device.ts";
import { openPipeOutput } from "../kit/open-pipe-output.ts";
import { openPromptTerminal } from "../kit/prompt-terminal.ts";
import { readRegularStdin } from "../kit/read-regular-stdin.ts";
import { runOnStdin } from "../kit/spawn.ts";
import type { CliIo } from "./cli-io.ts";

/** Every sandbox shows its guard here, and nothing inside can take it away. Who sits at a terminal in there is no person. */
const guardInside = "/run/glovebox/guard";

/** Call once. Standard output and error may be new streams on the same pipes: write to them only through this. */
export function openProcessIo(process: NodeJS.Process, env: CliIo["env"]): CliIo {
  return {
    // Opened only by whoever reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: openPipeOutput(1) ?? process.stdout,
    stderr: openPipeOutput(2) ?? process.stderr,
    env,
    isInputNull: () => isNullDevice(0),
    isInBackground,
    passOutputUnchanged: () => runOnStdin("/bin/stty", ["-opost"]),
    readWholeInput: readRegularStdin,
    isInsideSandbox: () => existsSync(guardInside),
    openPrompt: async () => (existsSync(guardInside) ? undefined : openPromptTerminal()),
    events: {
      on: (name, listener) => process.on(name, listener),
      off: (name, listener) => process.off(name, listener),
    },
  };
}
