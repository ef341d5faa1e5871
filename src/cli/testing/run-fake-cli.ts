// One call of the command line in a test: fake streams, a fake door, and a project directory that exists.
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Door } from "../../contracts/door.ts";
import type { McpServers } from "../../contracts/mcp-servers.ts";
import { runCli } from "../cli.ts";
import { createFakeDoor, type FakeDoor } from "./fake-door.ts";
import { createFakeIo, type FakeIo, type FakeIoOptions } from "./fake-io.ts";

export interface FakeCall extends FakeIo {
  readonly code: number;
  readonly door: FakeDoor;
  /** How often the door was opened. */
  readonly doorOpened: number;
}

export interface FakeCallOptions extends FakeIoOptions {
  readonly door?: Partial<Door>;
  readonly mcp?: McpServers;
  readonly cwd?: string;
  readonly home?: string;
  /** Replaces opening the door. */
  readonly openDoor?: () => Promise<Door>;
  /** Called with the streams before the call ends, e.g. to type or to send signals. */
  readonly during?: (io: FakeIo) => void;
}

const unexpected = (): never => {
  throw new Error("Nothing was to be served");
};

export async function callCli(argv: readonly string[], options: FakeCallOptions = {}): Promise<FakeCall> {
  const io = createFakeIo(options);
  const door = createFakeDoor(options.door);
  let doorOpened = 0;
  const running = runCli({
    argv,
    io: io.io,
    cwd: options.cwd ?? realpathSync(tmpdir()),
    home: options.home ?? "/nonexistent/home",
    version: "1.2.3",
    mcp: async () => options.mcp ?? { serveStreams: unexpected, serveHttp: unexpected },
    launcher: "/opt/glove box/glovebox",
    door: async () => {
      doorOpened += 1;
      return options.openDoor === undefined ? door : options.openDoor();
    },
  });
  options.during?.(io);
  const code = await running;
  return { ...io, code, door, doorOpened };
}
