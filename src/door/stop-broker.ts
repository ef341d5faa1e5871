// The end of the running broker, also of one that speaks another version and so takes no word of ours: set-up may have replaced its own command line.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { type BrokerPlace, findBroker } from "./reach-broker.ts";

/** What it holds is closed first. */
const endMs = 30_000;
const pauseMs = 25;

const processFile = (directory: string): string => path.join(directory, "broker.pid");

/** Of a broker that begins: pid and start time of the process that is to be told. */
export async function noteBrokerProcess(directory: string): Promise<void> {
  await writeFile(processFile(directory), `${process.pid} ${(await processStartTime(process.pid)) ?? ""}\n`, { flag: "wx", mode: 0o600 });
}

interface BrokerProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Undefined when it has ended, or is of a version that noted nothing. */
async function findProcess(directory: string): Promise<BrokerProcess | undefined> {
  const noted = await readFile(processFile(directory), "latin1").catch(() => "");
  const [, pid = "", startTime = ""] = /^(\d{1,10}) (\d+)\n$/u.exec(noted) ?? [];
  return startTime !== "" && (await processStartTime(Number(pid))) === startTime ? { pid: Number(pid), startTime } : undefined;
}

/** Resolves when it has ended. @throws BROKER_UNAVAILABLE when it does not */
async function terminate({ pid, startTime }: BrokerProcess): Promise<void> {
  process.kill(pid, "SIGTERM");
  const deadline = performance.now() + endMs;
  while ((await processStartTime(pid)) === startTime) {
    if (performance.now() > deadline) throw new GloveboxError("BROKER_UNAVAILABLE", "door.not-ended", { values: { pid } });
    await delay(pauseMs);
  }
}

/** Does nothing where none runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION for one of another version whose process is not known */
export async function stopBroker(place: BrokerPlace): Promise<void> {
  try {
    const client = await findBroker(place);
    await client?.stop();
    await client?.close();
  } catch (error) {
    const isOther = error instanceof GloveboxError && error.code === "BROKER_VERSION";
    const found = isOther ? await findProcess(place.directory) : undefined;
    if (found === undefined) throw error;
    await terminate(found);
  }
}
