// The broker's side of the gate: starts the process, hands sockets over, records for it, and knows when it is gone. Nothing it says is believed but
// what it counted.
import type { Socket as DatagramSocket } from "node:dgram";
import type { Server } from "node:net";
import type { CapturedListeners, EgressEndpoint, RefusedAttempt } from "../contracts/egress.ts";
import type { EgressPolicy } from "../contracts/egress-policy.ts";
import type { EgressAnswer, EgressEvent, EgressQuestion, EgressSummary } from "../contracts/egress-record.ts";
import { surelyEnding } from "../kit/node-options.ts";
import { spawnProcess } from "../kit/spawn.ts";
import { type FromGate, fromGateSchema, type NetworkSettings, type ToGate } from "./gate-messages.ts";

type GateChild = ReturnType<typeof spawnProcess>;

/** The gate answers at once or not at all; on a crowded machine its start takes seconds. */
const answerMs = 30_000;

export interface GateStart {
  /** Node, and what it runs. */
  readonly node: string;
  readonly entry: string;
  /** All that the process may read: its own program. */
  readonly readable: readonly string[];
}

/** What one sandbox may reach, and how. */
export interface ServedRules {
  readonly policy: EgressPolicy;
  readonly network: NetworkSettings;
}

export interface SandboxEgress {
  readonly endpoint: EgressEndpoint;
  /** What the sandbox did; resolves after `close`. Undefined when the gate was lost. */
  readonly summary: Promise<EgressSummary | undefined>;
  /**
   * Other rules from now on; resolves with the number of connections that ended by them, when they have ended.
   * Rejects when the gate is gone: then nothing leaves at all.
   */
  reload(policy: EgressPolicy): Promise<number>;
}

export interface ServedEvent {
  readonly about: EgressEvent;
  readonly clientPort: number | undefined;
}

export interface AskedQuestion {
  readonly about: EgressQuestion;
  readonly clientPort: number | undefined;
}

/** What the gate needs of its broker for one sandbox. */
export interface Serving {
  /** Rejects when it could not be recorded. */
  record(event: ServedEvent): Promise<void>;
  /** Resolves with a person's answer. */
  ask(question: AskedQuestion): Promise<EgressAnswer>;
}

interface Served {
  readonly serving: Serving;
  readonly reloads: PromiseWithResolvers<number>[];
  readonly listening: PromiseWithResolvers<void>;
  readonly summary: PromiseWithResolvers<EgressSummary | undefined>;
}

/** `ulimit -c 0`: no core file of a process that has seen credentials. Node's permission model: no files, no processes, no workers. */
const script = 'ulimit -c 0 && exec "$0" "$@"';

function startProcess({ node, entry, readable }: GateStart): GateChild {
  const permissions = ["--permission", "--allow-net", ...readable.map((place) => `--allow-fs-read=${place}`)];
  const quiet = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=512", ...surelyEnding];
  const args = ["-c", script, node, ...permissions, ...quiet, entry];
  return spawnProcess("/bin/sh", args, { environment: {}, stdio: ["ignore", "ignore", "ignore", "ipc"], ownGroup: true });
}

export class GateProcess {
  readonly #child: GateChild;
  readonly #served = new Map<string, Served>();
  #isGone = false;

  constructor(start: GateStart) {
    this.#child = startProcess(start);
    this.#child.on("message", (message) => this.#hear(message));
    for (const event of ["exit", "error", "disconnect"] as const) this.#child.on(event, () => this.#lost());
    this.#letGo();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** A gate without sandboxes keeps nobody waiting. */
  #letGo(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #lost(): void {
    this.#isGone = true;
    this.#child.kill("SIGKILL");
    for (const { listening, summary, reloads } of this.#served.values()) {
      for (const reload of reloads) reload.reject(new Error("The gate ended"));
      listening.reject(new Error("The gate ended"));
      summary.resolve(undefined);
    }
    this.#served.clear();
  }

  #send(message: ToGate, handle?: Server | DatagramSocket): void {
    if (this.#isGone) return;
    this.#child.send(message, handle, {}, (error) => {
      if (error !== null) this.#lost();
    });
  }

  #hear(given: unknown): void {
    const parsed = fromGateSchema().safeParse(given);
    if (parsed.success) this.#obey(parsed.data);
    else this.#lost(); // fails closed: a gate that speaks otherwise is not ours any more
  }

  #obey(message: FromGate): void {
    const served = this.#served.get(message.sandbox);
    if (served === undefined) return;
    if (message.type === "listening") served.listening.resolve();
    else if (message.type === "closed") served.summary.resolve(message.summary);
    else if (message.type === "reloaded") served.reloads.shift()?.resolve(message.ended);
    else if (message.type === "ask") {
      const { question, about, clientPort } = message;
      served.serving.ask({ about, clientPort }).then(
        (answer) => this.#send({ type: "answered", question, answer }),
        () => this.#send({ type: "answered", question, answer: "nobody" }), // fails closed: nobody has answered
      );
    } else {
      const { event, about, clientPort } = message;
      served.serving.record({ about, clientPort }).then(
        () => this.#send({ type: "recorded", event, isRecorded: true }),
        () => this.#send({ type: "recorded", event, isRecorded: false }), // fails closed: what is not recorded does not leave
      );
    }
  }

  async #attach(sandbox: string, { tcp, dns }: CapturedListeners): Promise<void> {
    const served = this.#served.get(sandbox);
    const timer = setTimeout(() => served?.listening.reject(new Error("The gate does not listen")), answerMs);
    try {
      if (served === undefined) throw new Error("The gate is not there");
      this.#send({ type: "tcp", sandbox }, tcp);
      this.#send({ type: "dns", sandbox }, dns);
      await served.listening.promise;
    } finally {
      clearTimeout(timer);
      // The gate has them, or nobody: here nobody may answer.
      tcp.close();
      dns.close();
    }
  }

  async #close(sandbox: string): Promise<void> {
    const served = this.#served.get(sandbox);
    if (served === undefined) return;
    this.#send({ type: "close", sandbox });
    const timer = setTimeout(() => this.#lost(), answerMs);
    await served.summary.promise;
    clearTimeout(timer);
    // Whatever the rules would have been: nothing is open any more.
    for (const reload of served.reloads) reload.resolve(0);
    this.#served.delete(sandbox);
  }

  #reload(sandbox: string, policy: EgressPolicy): Promise<number> {
    const served = this.#served.get(sandbox);
    if (served === undefined) return Promise.reject(new Error("The gate ended"));
    const reload = Promise.withResolvers<number>();
    served.reloads.push(reload);
    this.#send({ type: "reload", sandbox, policy });
    return reload.promise;
  }

  /** Beside whatever else the process serves. */
  serve(sandbox: string, { policy, network }: ServedRules, serving: Serving): SandboxEgress {
    const served: Served = { serving, reloads: [], listening: Promise.withResolvers(), summary: Promise.withResolvers() };
    served.listening.promise.catch(() => {}); // heard by whoever attaches
    if (this.#isGone) {
      served.listening.reject(new Error("The gate ended"));
      served.summary.resolve(undefined);
    } else this.#served.set(sandbox, served);
    this.#send({ type: "open", sandbox, policy, network });
    const refused = (attempt: RefusedAttempt): void => this.#send({ type: "refused", sandbox, attempt });
    const endpoint: EgressEndpoint = {
      attach: (listeners) => this.#attach(sandbox, listeners),
      refused,
      close: () => this.#close(sandbox),
    };
    return { endpoint, summary: served.summary.promise, reload: (next) => this.#reload(sandbox, next) };
  }

  /** Ends the process, and resolves when it has ended. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.ref();
    this.#child.once("exit", () => resolve());
    this.#child.kill("SIGKILL");
    await promise;
  }
}
