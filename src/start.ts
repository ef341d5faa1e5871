// The command line: turns this process's arguments, streams and environment into a call of the CLI room. Nothing is loaded by name here that
// a run needs, so that a bundle can lay all of it out in one scope: a quarter of a start went into entering modules one by one.
import "./contracts/interpreted-checks.ts";
import path from "node:path";
import { openProcessIo, runCli } from "./cli/cli.ts";
import { composeDoor } from "./compose.ts";
import { version } from "./contracts/version.ts";
import { hostUser } from "./kit/host-user.ts";
import { rawArguments, rawCurrentDirectory, rawEnvironment } from "./kit/raw-process.ts";

const installation = path.dirname(import.meta.dirname);

// A function, because the bundle is a script: those have no `await` of their own.
async function main(): Promise<void> {
  const environment = rawEnvironment(process.env);
  let close = (): Promise<void> => Promise.resolve();
  const openDoor = () => {
    const door = composeDoor({ environment, installation });
    close = () => door.close();
    return Promise.resolve(door);
  };
  process.exitCode = await runCli({
    argv: rawArguments(process.argv.slice(2)),
    door: openDoor,
    mcp: async () => (await import("./mcp/mcp.ts")).mcpServers,
    io: openProcessIo(process, environment),
    cwd: rawCurrentDirectory(),
    home: hostUser().home,
    version,
    launcher: path.join(installation, "glovebox"),
  });
  // What could not be written has been said by the call that needed it; the exit code is the call's.
  await close().catch(() => {});
  // Whatever was written has been taken, and nothing is left to wait for: to take the heap apart would last longer than all of the closing.
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}

void main();
