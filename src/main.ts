// The command line's start: turns this process's arguments, streams and environment into a call of the CLI room.
import { enableCompileCache } from "node:module";
import path from "node:path";

// Node keeps compiled and type-stripped sources there; without it every start strips them again.
const installation = path.dirname(import.meta.dirname);
enableCompileCache(path.join(installation, "build/compile-cache"));

// A function, because the bundle is a script: those have no `await` of their own.
async function main(): Promise<void> {
  const { openProcessIo, runCli } = await import("./cli/cli.ts");
  const { hostUser } = await import("./kit/host-user.ts");
  const { rawArguments, rawCurrentDirectory, rawEnvironment } = await import("./kit/raw-process.ts");
  const { version } = await import("./contracts/version.ts");
  const environment = rawEnvironment(process.env);
  let close = (): Promise<void> => Promise.resolve();

  /** Help and usage errors never load what is behind the door. */
  async function openDoor() {
    const { composeDoor } = await import("./compose.ts");
    const door = composeDoor({ environment, installation });
    close = () => door.close();
    return door;
  }

  process.exitCode = await runCli({
    argv: rawArguments(process.argv.slice(2)),
    door: openDoor,
    io: openProcessIo(process, environment),
    cwd: rawCurrentDirectory(),
    home: hostUser().home,
    version,
  });
  // What could not be written has been said by the call that needed it; the exit code is the call's.
  await close().catch(() => {});
}

void main();
