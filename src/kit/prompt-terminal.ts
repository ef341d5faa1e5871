// The person's terminal for one question: the controlling terminal of this process, whatever its standard streams are. While it is open,
// background jobs that write to it are stopped (stty tostop), so that what a sandbox prints never stands beside the question.
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import { isInBackground } from "./foreground.ts";
import { capture } from "./spawn.ts";

export interface PromptTerminal {
  write(text: string): void;
  /** One line as it was typed, without its end; undefined at the end of input or when the signal came first. At most 4 KiB. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
  /** Gives the terminal its old modes back. */
  close(): Promise<void>;
}

const device = "/dev/tty";

async function stty(...words: readonly string[]): Promise<string | undefined> {
  const done = await capture("/bin/stty", ["-F", device, ...words], { timeoutMs: 2000 }).catch(() => undefined);
  return done?.code === 0 ? done.stdout.trim() : undefined;
}

/** What was typed before the question was there answers nothing. The terminal must be in a mode that does not wait. */
function discardTypedAhead(): void {
  const descriptor = openSync(device, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const buffer = Buffer.alloc(4096);
    for (let round = 0; round < 64 && readSync(descriptor, buffer) > 0; round += 1);
  } catch {
    // EAGAIN: nothing was typed
  } finally {
    closeSync(descriptor);
  }
}

async function lineFrom(stream: ReadStream, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let typed = "";
  const onData = (chunk: Buffer): void => {
    typed += chunk.toString("utf8");
    const end = typed.indexOf("\n");
    if (end !== -1 || typed.length > 4096) resolve(typed.slice(0, end === -1 ? 4096 : end));
  };
  const onEnd = (): void => resolve(undefined);
  signal.addEventListener("abort", onEnd, { once: true });
  stream.on("data", onData).on("end", onEnd).on("error", onEnd).on("close", onEnd);
  stream.resume();
  if (signal.aborted) onEnd();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onEnd);
    stream.pause();
    stream.off("data", onData).off("end", onEnd).off("error", onEnd).off("close", onEnd);
    stream.on("error", () => {}); // an end of the terminal that nobody waits for
  }
}

function openDevice(): number | undefined {
  try {
    return openSync(device, constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined; // ENXIO: this process has no terminal
  }
}

/** Undefined when there is no terminal, it belongs to another job, or it cannot be prepared: then nobody may be asked there. */
export async function openPromptTerminal(): Promise<PromptTerminal | undefined> {
  const descriptor = isInBackground() ? undefined : openDevice();
  if (descriptor === undefined) return undefined;
  const modes = await stty("-g");
  const isReady = modes !== undefined && (await stty("sane", "tostop", "-icanon", "min", "0", "time", "0")) !== undefined;
  if (isReady) discardTypedAhead();
  if (!isReady || (await stty("sane", "tostop")) === undefined) {
    closeSync(descriptor);
    return undefined;
  }
  const stream = new ReadStream(descriptor);
  return {
    write: (text) => void writeSync(descriptor, text),
    readLine: (signal) => lineFrom(stream, signal),
    close: async () => {
      await stty(modes);
      stream.destroy();
    },
  };
}
