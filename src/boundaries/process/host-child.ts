// What was started for one sandbox, the same whoever started it: Node itself, or the launcher that stays (resident-launcher.ts).
import { closeSync } from "node:fs";
import { Duplex, type Readable, type Writable } from "node:stream";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { spawnProcess } from "../../kit/spawn.ts";

type Spawned = ReturnType<typeof spawnProcess>;

export interface HostChild {
  /** Undefined when there is no process. */
  readonly pid: Promise<number | undefined>;
  /** The guard's. */
  readonly control: Duplex;
  /** From which it reads its layout; undefined: it reads none. */
  readonly layout: Writable | undefined;
  /** What failed. */
  readonly text: Readable;
  /** Resolves when it is reaped, and whoever had its streams has ended. */
  readonly ended: Promise<void>;
  /** Why there is no process, e.g. `EAGAIN`; undefined when there is one. */
  readonly startError: () => string | undefined;
  /** Nothing happens when it has ended. */
  readonly kill: () => void;
  /** The captive network's program, with an `ipc` channel; undefined where nobody asked for one. */
  readonly captive: Spawned | undefined;
}

export interface SpawnRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly readsLayout: boolean;
  readonly isCaptive: boolean;
  /** Open descriptors for it, behind its channels; closed here. */
  readonly files: readonly number[];
}

/** The guard's channel. */
export const controlDescriptor = 3;
/** Of the captive network's program, where there is one. */
export const captiveDescriptor = 4;

/** @throws INTERNAL where there is none */
export function streamAt(child: Spawned, index: number): Duplex {
  const stream: unknown = child.stdio[index];
  if (stream instanceof Duplex) return stream;
  throw new GloveboxError("INTERNAL", "wall.open-failed", { values: { sandbox: "-", detail: `descriptor ${index}` } });
}

/** Node's fork copies the page tables of the whole process. */
export function spawnChild({ program, args, readsLayout, isCaptive, files }: SpawnRequest): HostChild {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  try {
    const child = spawnProcess(program, args, {
      environment: {},
      cwd: "/",
      stdio: [readsLayout ? "pipe" : "ignore", "ignore", "pipe", "pipe", ...(isCaptive ? ["ipc" as const] : []), ...files],
      // A terminal's ctrl-c is for the command: the broker passes it on, the wall stays.
      ownGroup: true,
    });
    let startError: string | undefined;
    child.on("error", (error) => {
      startError = systemErrorCode(error);
      resolve();
    });
    child.on("close", () => resolve());
    child.stdin?.on("error", () => {}); // it ended before it read: its exit says why
    return {
      pid: Promise.resolve(child.pid),
      control: streamAt(child, controlDescriptor),
      layout: child.stdin ?? undefined,
      text: streamAt(child, 2),
      ended,
      startError: () => startError,
      kill: () => void child.kill("SIGKILL"),
      captive: isCaptive ? child : undefined,
    };
  } finally {
    for (const descriptor of files) closeSync(descriptor);
  }
}
