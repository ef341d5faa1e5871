// The launcher that stays with its broker and forks for each sandbox: of a small process, at a fraction of what Node's own fork costs. It ends with
// this process, and its death ends its sandboxes, as the death of this process does. INVARIANT I-09
import { Socket } from "node:net";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { spawnProcess } from "../../kit/spawn.ts";
import { type HostChild, streamAt } from "./host-child.ts";
import { parseResidentMessage, type ResidentEnd, residentRequest, type ResidentMessage } from "./resident-messages.ts";

/** What a sandbox is started with: our half of it. */
interface ChannelSet {
  readonly layout: Socket;
  /** Of its own: a write that fails closes a socket, with what could still be read from it. */
  readonly text: Socket;
  readonly control: Socket;
}

interface Member {
  readonly pid: PromiseWithResolvers<number | undefined>;
  readonly reaped: PromiseWithResolvers<void>;
  startError: string | undefined;
}

export interface ResidentRequest {
  /** Names the sandbox on the command line of what is forked. */
  readonly marker: string;
  /** Called when it is started: paths, opened for the guard: the list of changes for writing, the lock for both. */
  readonly makeFiles: () => readonly [log: string, lock: string];
}

/** As long as any marker. */
const room = " ".repeat(64);
/** Descriptors, in the order of a set. */
const firstSet = [4, 5, 6] as const;

/** Nothing that merely waits for the next sandbox keeps this process from its end. */
function idle(stream: unknown): Socket {
  if (stream instanceof Socket) return stream.unref();
  throw new TypeError("Cannot use a channel of the resident launcher: it is no socket");
}

export class ResidentLauncher {
  readonly #process: ReturnType<typeof spawnProcess>;
  readonly #members = new Map<number, Member>();
  /** Of those that are offered, or wanted before they are; undefined for whoever is not to wait for it. */
  readonly #sets = new Map<number, PromiseWithResolvers<ChannelSet | undefined>>();
  #taken = 0;
  /** The next set cannot be handed over now. */
  #isShort = false;
  /** What has come of the next set: its ends come one by one. */
  readonly #coming = new Map<ResidentEnd, Socket>();
  #users = 0;
  #end: GloveboxError | undefined;

  /** Blocks for as long as one fork of Node takes. */
  constructor(launcherPath: string) {
    const started = spawnProcess(launcherPath, ["--resident", room], {
      environment: {},
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore", "ipc", "pipe", "pipe", "pipe"],
      ownGroup: true,
    });
    this.#process = started;
    started.on("error", (error) => this.#lose(systemErrorCode(error) ?? error.message, launcherPath));
    started.on("exit", () => this.#lose("the resident launcher has ended", launcherPath));
    started.on("message", (value: unknown, handle: unknown) => this.#hear(parseResidentMessage(value), handle));
    if (started.pid === undefined) return;
    idle(started.stdin).on("error", () => {}); // it has ended, which is noticed elsewhere
    started.unref();
    started.channel?.unref();
    const [layout, text, control] = firstSet.map((descriptor) => idle(streamAt(started, descriptor)));
    if (layout !== undefined && text !== undefined && control !== undefined) this.#wanted(0).resolve({ layout, text, control });
  }

  /** It starts nothing any more. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Undefined when it cannot start anything now, because a sandbox or another program of the user has used up what it needs.
   * @throws SANDBOX_OPEN_FAILED or WALL_UNAVAILABLE when it has ended
   */
  async start({ marker, makeFiles }: ResidentRequest): Promise<HostChild | undefined> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#isShort) return undefined;
    this.#use();
    const number = this.#taken;
    this.#taken += 1;
    try {
      const set = await this.#wanted(number).promise;
      if (set === undefined) {
        this.#leave();
        return undefined;
      }
      this.#sets.delete(number);
      const files = makeFiles();
      const member = { pid: Promise.withResolvers<number | undefined>(), reaped: Promise.withResolvers<void>(), startError: undefined };
      this.#members.set(number, member);
      this.#ask(["open", String(number), marker, ...files]);
      return this.#childOf(set, number, member);
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #wanted(number: number): PromiseWithResolvers<ChannelSet | undefined> {
    const known = this.#sets.get(number);
    if (known !== undefined) return known;
    const wanted = Promise.withResolvers<ChannelSet | undefined>();
    wanted.promise.catch(() => {}); // reported to whoever wants it
    if (this.#end !== undefined) wanted.reject(this.#end);
    this.#sets.set(number, wanted);
    return wanted;
  }

  #ask(words: readonly string[]): void {
    if (this.#end === undefined) this.#process.stdin?.write(residentRequest(words));
  }

  #childOf({ layout, text, control }: ChannelSet, number: number, member: Member): HostChild {
    for (const socket of [layout, text, control]) socket.ref();
    layout.on("error", () => {}); // it ended before it read: its text says why
    const closed = Promise.withResolvers<void>();
    text.on("close", () => closed.resolve());
    const ended = Promise.all([member.reaped.promise, closed.promise]).then(() => this.#leave());
    return {
      pid: member.pid.promise,
      control,
      layout,
      text,
      ended,
      startError: () => member.startError,
      kill: () => this.#ask(["kill", String(number)]),
      captive: undefined,
    };
  }

  #hear(message: ResidentMessage | undefined, handle: unknown): void {
    if (message === undefined) return;
    if ("set" in message) this.#take(message, handle);
    else if ("short" in message) this.#goShort(message.short);
    else if ("started" in message) this.#members.get(message.started)?.pid.resolve(message.pid);
    else this.#bury(message.ended, message.error);
  }

  #take({ set: number, end }: Extract<ResidentMessage, { set: number }>, handle: unknown): void {
    this.#coming.set(end, idle(handle));
    const [layout, text, control] = [this.#coming.get("layout"), this.#coming.get("text"), this.#coming.get("control")];
    if (layout === undefined || text === undefined || control === undefined) return;
    this.#coming.clear();
    this.#isShort = false;
    this.#wanted(number).resolve({ layout, text, control });
  }

  /** Nobody waits for it, or for one behind it; whoever comes when it is there takes it. */
  #goShort(number: number): void {
    this.#isShort = true;
    for (const wanted of this.#sets.values()) wanted.resolve(undefined);
    this.#sets.clear();
    this.#taken = number;
  }

  #bury(number: number, startError: string | undefined): void {
    const member = this.#members.get(number);
    if (member === undefined) return;
    this.#members.delete(number);
    member.startError = startError;
    member.pid.resolve(undefined);
    member.reaped.resolve();
  }

  #lose(detail: string, path: string): void {
    if (this.#end !== undefined) return;
    const isLimit = detail === "EAGAIN";
    this.#end = isLimit
      ? new GloveboxError("WALL_UNAVAILABLE", "wall.process-limit", { values: { path, detail } })
      : new GloveboxError("SANDBOX_OPEN_FAILED", "wall.open-failed", { values: { sandbox: "-", detail } });
    for (const wanted of this.#sets.values()) wanted.reject(this.#end);
    // Whoever it had forked dies with it, and says so by its streams.
    for (const number of this.#members.keys()) this.#bury(number, undefined);
  }

  /** As long as somebody waits for a word of it, this process does not end. */
  #use(): void {
    this.#users += 1;
    if (this.#users > 1) return;
    this.#process.ref();
    this.#process.channel?.ref();
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#process.unref();
    this.#process.channel?.unref();
  }
}
