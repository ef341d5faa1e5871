// The command line's start: turns this process's arguments, streams and environment into a call of the CLI room.
import { enableCompileCache } from "node:module";
import path from "node:path";

// Node keeps compiled and type-stripped sources there; without it every start strips them again.
const installation = path.dirname(import.meta.dirname);
enableCompileCache(path.join(installation, "build/compile-cache"));

const { composeDoor, hostUser, version } = await import("./compose.ts");
const { openProcessIo, runCli } = await import("./cli/cli.ts");

const { env: environment } = process;
const door = composeDoor({ environment, installation });
process.exitCode = await runCli({
  argv: process.argv.slice(2),
  door: () => Promise.resolve(door),
  io: openProcessIo(process),
  cwd: process.cwd(),
  home: hostUser().home,
  version,
});
await door.close();
