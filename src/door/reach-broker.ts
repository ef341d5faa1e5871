// From a client to the running broker, which is started when somebody needs one and there is none.
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { spawnProcess } from "../kit/spawn.ts";
import { DoorClient } from "./door-client.ts";
import { parseError } from "./door-errors.ts";
import { readDoorKeys } from "./door-files.ts";

/** A broker cleans up after the last one before it listens. */
const startMs = 60_000;
/** Another may be starting, or leaving: neither is ours to hear of. */
const otherMs = 15_000;
const pauseMs = 25;
/** Between two starts of ours while another has the lock: each is a process. */
const startPauseMs = 500;

/** What a broker that starts says on its standard output, one line. */
export const startWordSchema = madeOnce(() =>
  z.discriminatedUnion("state", [
    z.strictObject({ state: z.literal("listening") }),
    /** Another broker holds the lock. */
    z.strictObject({ state: z.literal("taken") }),
    z.strictObject({ state: z.literal("failed"), error: z.unknown() }),
  ]),
);
export type StartWord = z.infer<ReturnType<typeof startWordSchema>>;

export interface BrokerPlace {
  readonly socketPath: string;
  /** Where its keys lie. */
  readonly directory: string;
  /** The program that is a broker, and what it needs of our environment. */
  readonly program: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

function unavailable(reason: string): GloveboxError {
  return new GloveboxError("BROKER_UNAVAILABLE", "door.not-started", { values: { reason } });
}

function parseWord(line: string): StartWord {
  try {
    return startWordSchema().parse(JSON.parse(line));
  } catch {
    throw unavailable(line.slice(0, 200));
  }
}

/** In a session of its own, without a core file, and with nothing of ours but the environment that is named. */
async function startBroker({ program, environment }: BrokerPlace): Promise<StartWord> {
  const script = 'ulimit -c 0 && exec "$0" "$@"';
  const child = spawnProcess("/bin/sh", ["-c", script, ...program], {
    environment,
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
    ownGroup: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const end = text.indexOf("\n");
    if (end !== -1) resolve(text.slice(0, end));
  });
  child.on("error", (error) => reject(unavailable(error.message)));
  child.on("close", () => reject(unavailable("ended")));
  const timer = setTimeout(() => reject(unavailable("silent")), startMs);
  try {
    return parseWord(await promise);
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
    child.unref();
  }
}

function connectTo({ socketPath, directory }: BrokerPlace): Promise<DoorClient | undefined> {
  return DoorClient.connect(socketPath, () => readDoorKeys(directory));
}

/** Undefined when no broker runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
export const findBroker = connectTo;

/** Undefined when it does not listen by then. */
async function awaitBroker(place: BrokerPlace, deadline: number): Promise<DoorClient | undefined> {
  for (;;) {
    const found = await connectTo(place);
    if (found !== undefined || performance.now() > deadline) return found;
    await delay(pauseMs);
  }
}

/** @throws BROKER_UNAVAILABLE, BROKER_VERSION, and what kept the broker from starting */
export async function reachBroker(place: BrokerPlace): Promise<DoorClient> {
  const running = await connectTo(place);
  if (running !== undefined) return running;
  const deadline = performance.now() + otherMs;
  for (;;) {
    const word = await startBroker(place);
    if (word.state === "failed") throw parseError(Buffer.from(JSON.stringify(word.error)));
    const isOurs = word.state === "listening";
    const found = await awaitBroker(place, isOurs ? 0 : performance.now() + startPauseMs);
    if (found !== undefined) return found;
    if (isOurs || performance.now() > deadline) throw unavailable("gone");
  }
}
