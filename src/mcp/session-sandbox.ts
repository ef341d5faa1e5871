// The sandbox of one session: opened by the first call that needs it, used by all, closed with the session. It also ends when this process is killed.
import type { ErrorCode } from "../contracts/error-table.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { McpServing } from "../contracts/mcp-servers.ts";
import type { ReachedBroker } from "../contracts/reached-broker.ts";
import type { OpenedSandbox, SandboxOpening } from "../contracts/sandbox-door.ts";

export interface HeldSandbox {
  readonly broker: ReachedBroker;
  readonly opened: OpenedSandbox;
  /** Of its commands: what the policy passes of it. */
  readonly callerEnvironment: SandboxOpening["callerEnvironment"];
}

/** After these nothing can be done in the sandbox any more; the next call opens another. */
const gone: ReadonlySet<ErrorCode> = new Set([
  "SANDBOX_CLOSED",
  "CONTAINER_EXPIRED",
  "SANDBOX_UNKNOWN",
  "BROKER_UNAVAILABLE",
  "BROKER_PROTOCOL",
]);

/** Tasks whose refusals a session can be asked for. */
const tasksKept = 16;

export class SessionSandbox {
  readonly #serving: McpServing;
  readonly #closing = new AbortController();
  readonly #tasks: string[] = [];
  #held: Promise<HeldSandbox> | undefined;

  constructor(serving: McpServing) {
    this.#serving = serving;
  }

  /** Newest first. */
  get tasks(): readonly string[] {
    return this.#tasks;
  }

  /** @throws SANDBOX_CLOSED after `close`, what opening a sandbox throws, and what `work` throws */
  async use<Result>(work: (held: HeldSandbox) => Promise<Result>): Promise<Result> {
    if (this.#closing.signal.aborted) throw new GloveboxError("SANDBOX_CLOSED", "mcp.session-ended");
    const held = (this.#held ??= this.#open());
    try {
      return await work(await held);
    } catch (error) {
      if (error instanceof GloveboxError && gone.has(error.code)) await this.#forget(held);
      throw error;
    }
  }

  #open(): Promise<HeldSandbox> {
    const opening = this.#openOne();
    opening.catch(() => void this.#forget(opening)); // told to whoever uses it; the next may have more luck
    return opening;
  }

  async #openOne(): Promise<HeldSandbox> {
    const { door, opening } = this.#serving;
    const broker = await door.reachBroker();
    try {
      const opened = await broker.sandboxes.open({ ...opening, endsWithCaller: true }, { signal: this.#closing.signal });
      this.#tasks.unshift(opened.task);
      this.#tasks.splice(tasksKept);
      return { broker, opened, callerEnvironment: opening.callerEnvironment };
    } catch (error) {
      await broker[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** With its connection goes what is left of the sandbox. */
  async #forget(held: Promise<HeldSandbox>): Promise<void> {
    if (this.#held === held) this.#held = undefined;
    const found = await held.catch(() => undefined);
    await found?.broker[Symbol.asyncDispose]();
  }

  /** Idempotent. Resolves when the sandbox is closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const held = this.#held;
    if (held === undefined) return;
    const found = await held.catch(() => undefined);
    // A close that fails leaves its journal, and the broker's next start reaps what it names.
    await found?.broker.sandboxes.end(found.opened).catch(() => {});
    await this.#forget(held);
  }
}
