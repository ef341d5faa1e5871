// A broker's life as a process of its own: it holds the lock, serves whoever comes through the door, and leaves when nobody needs it. INVARIANT I-09
import type { SandboxDoor } from "../contracts/sandbox-door.ts";
import { dropToken, keepToken, makeDoorFiles } from "./door-files.ts";
import { type DoorPlace, DoorServer } from "./door-server.ts";
import { Linger } from "./linger.ts";

/** How long it stays after its last sandbox. */
const lingerMs = 10 * 60_000;

/** The broker's sandboxes, and the end of all of them. */
export interface ServedSandboxes extends SandboxDoor {
  /** Open ones, and those that are being opened. */
  readonly count: number;
  endAny(sandbox: string): Promise<void>;
  closeAll(): Promise<void>;
}

export interface ServedDoor {
  readonly place: DoorPlace;
  /** Where keys and tokens lie. */
  readonly directory: string;
  readonly isEqual: (given: string, expected: string) => boolean;
  /** @param onChange to be called when `count` may have changed; `onEnded` when a sandbox has ended */
  readonly makeSandboxes: (events: { onChange(): void; onEnded(sandbox: string): void }) => ServedSandboxes;
  /** Called when clients can connect. */
  readonly onListening: () => Promise<void>;
  /** Aborted: it is to leave now. */
  readonly signal: AbortSignal;
}

/** A client finds the token of a sandbox as soon as it knows its id. */
function keepingTokens(sandboxes: ServedSandboxes, directory: string): SandboxDoor {
  return {
    open: async (opening, io) => {
      const opened = await sandboxes.open(opening, io);
      await keepToken(directory, opened.sandbox, opened.token);
      return opened;
    },
    exec: (access, command, io) => sandboxes.exec(access, command, io),
    attach: (access, action, io) => sandboxes.attach(access, action, io),
    logs: (access, action) => sandboxes.logs(access, action),
    connect: (access, port) => sandboxes.connect(access, port),
    list: () => sandboxes.list(),
    end: (access) => sandboxes.end(access),
  };
}

/** Resolves when it has left, and holds nothing any more. The caller holds the broker's lock. @throws BROKER_UNAVAILABLE */
export async function serveDoor(served: ServedDoor): Promise<void> {
  const { place, directory, isEqual } = served;
  const keys = await makeDoorFiles(directory);
  const linger = new Linger(lingerMs);
  const sandboxes = served.makeSandboxes({
    onChange: () => linger.look(sandboxes.count > 0),
    onEnded: (sandbox) => void dropToken(directory, sandbox).catch(() => {}), // worth nothing any more; the next broker clears it away
  });
  const host = {
    sandboxes: keepingTokens(sandboxes, directory),
    keys,
    isEqual,
    end: (sandbox: string) => sandboxes.endAny(sandbox),
    stop: linger.end,
  };
  const server = await DoorServer.open(place, host);
  served.signal.addEventListener("abort", linger.end, { once: true });
  if (served.signal.aborted) linger.end();
  try {
    linger.look(false);
    await served.onListening();
    // Without its front nobody can reach it, to close a sandbox for one.
    await Promise.race([linger.over, server.ended]);
  } finally {
    linger.stop();
    await server.shut();
    await sandboxes.closeAll();
    await server.close();
  }
}
