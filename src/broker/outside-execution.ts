// One command outside any sandbox, in the shape in which a sandbox gives one: still bounded, timed and ended by whoever supervises it.
// It has a session of its own without a terminal, so that it can neither read our keyboard nor answer a question there.
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Command, Execution, ExitReport, OutputChunk, SignalName } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { drained } from "../kit/drained.ts";
import { killMarked } from "../kit/marked-processes.ts";
import { spawnProcess } from "../kit/spawn.ts";

type Child = ReturnType<typeof spawnProcess>;

const noUsage = { userMs: 0, systemMs: 0, maxRssBytes: 0 };

async function nextChunk(channel: OutputChunk["channel"], iterator: AsyncIterator<unknown>): Promise<OutputChunk | undefined> {
  try {
    const result = await iterator.next();
    return result.done === true || !(result.value instanceof Uint8Array) ? undefined : { channel, bytes: result.value };
  } catch {
    return undefined; // the pipe was closed by the end of the tree: what came before was handed on
  }
}

/** How long whoever of an ended tree could not be found may still hold the pipes: silent, and at all. */
const quietMs = 1000;
const lastMs = 10_000;

interface Ended {
  /** Resolves when the tree was ended. */
  readonly tree: Promise<void>;
}

/** Resolves when nothing more is worth waiting for; never before the tree was ended. */
async function silence({ tree }: Ended, deadline: { atMs: number | undefined }): Promise<undefined> {
  await tree;
  deadline.atMs ??= performance.now() + lastMs;
  const left = Math.max(0, Math.min(quietMs, deadline.atMs - performance.now()));
  return delay(left, undefined, { ref: false });
}

/** Both channels as they come; nothing is read ahead of the reader but what the pipes hold. */
async function* merge(stdout: Readable, stderr: Readable, ended: Ended): AsyncGenerator<OutputChunk> {
  const deadline: { atMs: number | undefined } = { atMs: undefined };
  const sources = new Map(
    Object.entries({ stdout, stderr }).map(([name, stream]) => {
      const channel = name === "stdout" ? ("stdout" as const) : ("stderr" as const);
      const iterator: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
      const read = async () => ({ channel, chunk: await nextChunk(channel, iterator) });
      return [channel, { read, next: read() }];
    }),
  );
  while (sources.size > 0) {
    const found = await Promise.race([...[...sources.values()].map(({ next }) => next), silence(ended, deadline)]);
    if (found === undefined) break;
    const source = sources.get(found.channel);
    if (found.chunk === undefined || source === undefined) {
      sources.delete(found.channel);
      continue;
    }
    source.next = source.read();
    yield found.chunk;
  }
  stdout.destroy();
  stderr.destroy();
}

function exitOf(child: Child): Promise<ExitReport> {
  const { promise, resolve } = Promise.withResolvers<ExitReport>();
  child.once("error", (error) => {
    const errno = systemErrorCode(error) ?? "unknown";
    resolve({ kind: "not-started", code: errno === "ENOENT" ? 127 : 126, errno });
  });
  child.once("exit", (code, signal) => {
    if (code !== null) resolve({ kind: "exited", code, usage: noUsage });
    else resolve({ kind: "signalled", signal: signal === null ? 0 : constants.signals[signal], usage: noUsage });
  });
  return promise;
}

function sendToGroup(pid: number | undefined, name: SignalName): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // ESRCH: the group ended meanwhile
  }
}

async function writeTo(child: Child, bytes: Uint8Array): Promise<void> {
  const { stdin } = child;
  if (stdin === null || stdin.destroyed || stdin.writableEnded) throw new GloveboxError("SANDBOX_CLOSED", "wall.command-gone");
  if (!stdin.write(bytes)) await drained(stdin);
}

export interface OutsideCommand extends Pick<Command, "argv" | "cwd"> {
  readonly environment: Readonly<Record<string, string>>;
  /** A variable that every process of the command carries: `NAME=value`. */
  readonly mark: string;
}

/** @param command argv[0] is absolute */
export function startOutside({ argv, cwd, environment, mark }: OutsideCommand): Execution {
  const [file, ...rest] = argv;
  const at = mark.indexOf("=");
  const child = spawnProcess(file, rest, {
    environment: { ...environment, [mark.slice(0, at)]: mark.slice(at + 1) },
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    ownGroup: true,
  });
  const exit = exitOf(child);
  child.stdin?.on("error", () => {}); // EPIPE: it does not read; its own end says the rest
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new GloveboxError("INTERNAL", "cli.internal", { values: { reason: "no pipes" } });
  const ended = Promise.withResolvers<void>();
  return {
    output: merge(stdout, stderr, { tree: ended.promise }),
    writeStdin: (bytes) => writeTo(child, bytes),
    endStdin: () => void child.stdin?.end(),
    signal: (name) => sendToGroup(child.pid, name),
    resize: () => {},
    killTree: async () => {
      sendToGroup(child.pid, "SIGKILL");
      killMarked(mark);
      await exit;
      child.stdin?.destroy();
      ended.resolve();
    },
    exit,
    // Outside nobody is told when the last of a tree ends of itself.
    gone: ended.promise,
    refusedCalls: { total: 0, first: [] },
  };
}
