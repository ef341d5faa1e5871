// The gate's process: takes captured sockets and rules from its channel, answers clients, and asks the broker to record before anything leaves. It
// has no files, no keys and no store; when the channel ends, it ends, and every connection with it.
import { Socket as DatagramSocket } from "node:dgram";
import { Server } from "node:net";
import type { RulesAt } from "../contracts/egress-policy.ts";
import type { EgressAnswer, EgressEvent, EgressQuestion } from "../contracts/egress-record.ts";
import { CapturedTraffic } from "./captured-traffic.ts";
import { type FromGate, type ToGate, toGateSchema } from "./gate-messages.ts";
import { machineOutside } from "./machine-outside.ts";

/** The process's own channel, as far as the gate uses it. */
export interface GateChannel {
  send(message: FromGate): void;
  onMessage(listener: (message: unknown, handle: unknown) => void): void;
}

class Gate {
  readonly #channel: GateChannel;
  readonly #rulesAt: RulesAt;
  readonly #sandboxes = new Map<string, { readonly traffic: CapturedTraffic; missing: Set<"tcp" | "dns"> }>();
  readonly #waiting = new Map<number, (isRecorded: boolean) => void>();
  readonly #asking = new Map<number, (answer: EgressAnswer) => void>();
  #events = 0;
  #questions = 0;

  constructor(channel: GateChannel, rulesAt: RulesAt) {
    this.#channel = channel;
    this.#rulesAt = rulesAt;
  }

  #record(sandbox: string, about: EgressEvent, clientPort?: number): Promise<boolean> {
    const event = this.#events;
    this.#events += 1;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(event, resolve);
    this.#channel.send({ type: "event", sandbox, event, about, ...(clientPort === undefined ? {} : { clientPort }) });
    return promise;
  }

  #ask(sandbox: string, about: EgressQuestion, clientPort?: number): Promise<EgressAnswer> {
    const question = this.#questions;
    this.#questions += 1;
    const { promise, resolve } = Promise.withResolvers<EgressAnswer>();
    this.#asking.set(question, resolve);
    this.#channel.send({ type: "ask", sandbox, question, about, ...(clientPort === undefined ? {} : { clientPort }) });
    return promise;
  }

  #open({ sandbox, policy, network }: ToGate & { readonly type: "open" }): void {
    const traffic = new CapturedTraffic({
      policy,
      rulesAt: this.#rulesAt,
      wallMs: () => Date.now(),
      outside: machineOutside(network),
      record: (about, clientPort) => this.#record(sandbox, about, clientPort),
      ask: (about, clientPort) => this.#ask(sandbox, about, clientPort),
      nowMs: () => performance.now(),
    });
    this.#sandboxes.set(sandbox, { traffic, missing: new Set(["tcp", "dns"]) });
  }

  #listen(sandbox: string, handle: unknown): void {
    const opened = this.#sandboxes.get(sandbox);
    if (opened === undefined) {
      // It was closed meanwhile: nobody listens for it.
      if (handle instanceof Server || handle instanceof DatagramSocket) handle.close();
    } else if (handle instanceof Server) {
      opened.traffic.listenTcp(handle);
      opened.missing.delete("tcp");
    } else if (handle instanceof DatagramSocket) {
      opened.traffic.listenDns(handle);
      opened.missing.delete("dns");
    } else throw new TypeError("a socket is missing");
    if (opened?.missing.size === 0) this.#channel.send({ type: "listening", sandbox });
  }

  #reload({ sandbox, policy }: ToGate & { readonly type: "reload" }): void {
    const ended = this.#sandboxes.get(sandbox)?.traffic.reload(policy) ?? 0;
    this.#channel.send({ type: "reloaded", sandbox, ended });
  }

  #close(sandbox: string): void {
    const summary = this.#sandboxes.get(sandbox)?.traffic.close();
    this.#sandboxes.delete(sandbox);
    if (summary !== undefined) this.#channel.send({ type: "closed", sandbox, summary });
  }

  hear(given: unknown, handle: unknown): void {
    const message = toGateSchema().parse(given);
    if (message.type === "open") this.#open(message);
    else if (message.type === "tcp" || message.type === "dns") this.#listen(message.sandbox, handle);
    else if (message.type === "close") this.#close(message.sandbox);
    else if (message.type === "refused") this.#sandboxes.get(message.sandbox)?.traffic.refusedByKernel(message.attempt);
    else if (message.type === "reload") this.#reload(message);
    else if (message.type === "answered") {
      this.#asking.get(message.question)?.(message.answer);
      this.#asking.delete(message.question);
    } else {
      this.#waiting.get(message.event)?.(message.isRecorded);
      this.#waiting.delete(message.event);
    }
  }
}

/** Serves until the process ends. @param rulesAt handed in: rules are the policy's business */
export function serveGate(channel: GateChannel, rulesAt: RulesAt): void {
  const gate = new Gate(channel, rulesAt);
  channel.onMessage((message, handle) => gate.hear(message, handle));
}
