// A broker's life as a process of its own: it holds the lock, serves whoever comes through the door, and leaves when nobody needs it. INVARIANT I-09
import type { AnswerDesk } from "../contracts/approval-door.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import type { SandboxDoor } from "../contracts/sandbox-door.ts";
import { dropToken, keepToken, makeDoorFiles } from "./door-files.ts";
import { type DoorPlace, DoorServer } from "./door-server.ts";
import { Linger } from "./linger.ts";
import { reapSockets } from "./reap-sockets.ts";
import { noteBrokerProcess } from "./stop-broker.ts";

/** How long it stays after its last sandbox. */
const lingerMs = 10 * 60_000;

/** The broker's sandboxes, and the end of all of them. */
export interface ServedSandboxes extends SandboxDoor {
  /** Open ones, and those that are being opened. */
  readonly count: number;
  reload(sandbox: string): Promise<ReloadedRules>;
  goneError(sandbox: string): Error;
  /** Resolves when there are none, and none comes any more. */
  closeAll(): Promise<void>;
}

export interface SandboxEvents {
  /** `count` may have changed. */
  onChange(): void;
  /** Before anybody can use it; when this rejects, it is closed. */
  onOpened(sandbox: string, token: string): Promise<void>;
  onEnded(sandbox: string): void;
}

export interface ServedDoor {
  readonly place: DoorPlace;
  /** Where keys and tokens lie. */
  readonly directory: string;
  readonly isEqual: (given: string, expected: string) => boolean;
  readonly makeSandboxes: (events: SandboxEvents) => ServedSandboxes;
  /** @param onChange `isUsed` may have changed */
  readonly makeDesk: (onChange: () => void) => AnswerDesk;
  readonly nowMs: () => number;
  /** Called when clients can connect. */
  readonly onListening: () => Promise<void>;
  /** It can open nothing any more, and leaves as soon as nobody needs it: the next one can. */
  readonly isOutdated: () => boolean;
  /** Aborted: it is to leave now. */
  readonly signal: AbortSignal;
}

/** Resolves when it has left, and holds nothing any more. The caller holds the broker's lock. @throws BROKER_UNAVAILABLE */
export async function serveDoor(served: ServedDoor): Promise<void> {
  const { place, directory, isEqual } = served;
  const keys = await makeDoorFiles(directory);
  await noteBrokerProcess(directory);
  const linger = new Linger(lingerMs);
  const look = (): void => {
    const isNeeded = sandboxes.count > 0 || approvals.isUsed;
    linger.look(isNeeded);
    if (!isNeeded && served.isOutdated()) linger.end();
  };
  const approvals = served.makeDesk(look);
  const sandboxes = served.makeSandboxes({
    onChange: look,
    onOpened: (sandbox, token) => keepToken(directory, sandbox, token),
    onEnded: (sandbox) => dropToken(directory, sandbox),
  });
  const host = {
    sandboxes,
    approvals,
    keys,
    isEqual,
    reload: (sandbox: string) => sandboxes.reload(sandbox),
    goneError: (sandbox: string) => sandboxes.goneError(sandbox),
    stop: linger.end,
  };
  await reapSockets(place.socketPath, served.nowMs());
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
