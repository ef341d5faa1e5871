// One sandbox's network as the gate sees it: its captured sockets, its rules, what it has used, what it did. INVARIANT I-06
import type { Socket as DatagramSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import { gateProxy, placeholders } from "../contracts/egress-places.ts";
import { type EgressPolicy, egressProtocols } from "../contracts/egress-policy.ts";
import type { EgressEvent, EgressSummary } from "../contracts/egress-record.ts";
import { parseIpAddress, showIpAddress } from "../kit/ip-address.ts";
import { Remembered } from "../kit/remembered.ts";
import { CurrentRules, type RulesParts } from "./current-rules.ts";
import { DnsAnswers } from "./dns-answers.ts";
import { EgressBudget } from "./egress-budget.ts";
import { hangUp, HttpFront } from "./http-front.ts";
import { LiveConnections } from "./live-connections.ts";
import { type Outside, refuse } from "./open-connection.ts";
import { PlaceholderNames } from "./placeholder-names.ts";
import { type AskBroker, Questions } from "./questions.ts";
import { answerAbout } from "./refusal-answer.ts";
import { runTunnel, type TunnelParts } from "./run-tunnel.ts";
import { serveSocks } from "./socks-front.ts";
import { TrafficLog } from "./traffic-log.ts";

/** Clients that have not said yet where they want to go, beside the connections that the policy allows. */
const mostWaiting = 64;

const questionPort = 53;

/** Placeholders in both families and both forms, and some addresses. */
const mostAddresses = 4 * placeholders.count;

/** Between two looks at the clock, by which rules begin and end: it may be put forward. */
const longestWaitMs = 30_000;

export interface TrafficParts extends RulesParts {
  readonly policy: EgressPolicy;
  readonly outside: Outside;
  readonly record: (event: EgressEvent, clientPort?: number) => Promise<boolean>;
  readonly ask: AskBroker;
  /** Monotonic. */
  readonly nowMs: () => number;
}

/** What the kernel refused, as the host saw it. */
export interface KernelRefusal {
  readonly protocol: string;
  readonly address: string;
  readonly port?: number | undefined;
  readonly process?: string | undefined;
}

function canonical(address: string): string {
  const parsed = parseIpAddress(address);
  return parsed === undefined ? address : showIpAddress(parsed);
}

export class CapturedTraffic {
  readonly #parts: TunnelParts;
  #most: number;
  readonly #names = new PlaceholderNames();
  readonly #answers: DnsAnswers;
  /** Canonical, by what a socket shows. */
  readonly #addresses = new Remembered<string>(mostAddresses);
  readonly #http: HttpFront;
  readonly #clients = new Set<Socket>();
  #tcp: Server | undefined;
  #dns: DatagramSocket | undefined;
  readonly #wallMs: () => number;
  #clock: NodeJS.Timeout | undefined;
  /** Of the rules by which what is open was judged. */
  #generation = 0;

  constructor({ policy, rulesAt, wallMs, outside, record, ask, nowMs }: TrafficParts) {
    const budget = new EgressBudget(policy, nowMs);
    const log = new TrafficLog(nowMs);
    this.#most = policy.connections + mostWaiting;
    const live = new LiveConnections();
    const recordOrCut: TrafficParts["record"] = async (event, clientPort) => {
      const isRecorded = await record(event, clientPort);
      // Without a ledger nothing leaves, not even by what was recorded while there was one.
      if (!isRecorded) live.endAll("unrecorded");
      return isRecorded;
    };
    const rules = new CurrentRules(policy, { rulesAt, wallMs });
    const open = { rules, budget, log, outside, live, questions: new Questions(ask), record: recordOrCut };
    this.#answers = new DnsAnswers({
      names: this.#names,
      rulesNow: () => rules.now,
      mayName: (name) => rules.mayName(name),
      takeName: (name) => budget.takeName(name),
      refused: (host, reason) => this.#refusedName(host, reason),
    });
    this.#http = new HttpFront(open, (client, place) => this.#connect(client, place));
    this.#parts = { ...open, acceptHttp: (client, asked, opened) => this.#http.acceptOpened(client, asked, opened) };
    this.#wallMs = wallMs;
    this.#watchClock();
  }

  /** What is open under a rule ends with the time of the rule. */
  #watchClock(): void {
    clearTimeout(this.#clock);
    const { rules, log, live } = this.#parts;
    const { changesAtMs } = rules.keepTime();
    if (changesAtMs === undefined) return;
    const look = (): void => {
      rules.keepTime();
      if (rules.generation !== this.#generation) {
        this.#generation = rules.generation;
        log.forgetRecorded();
        live.judgeAgain(rules, "grants hold");
      }
      this.#watchClock();
    };
    this.#clock = setTimeout(look, Math.min(Math.max(changesAtMs - this.#wallMs(), 0), longestWaitMs)).unref();
  }

  listenTcp(server: Server): void {
    this.#tcp = server;
    // Half of a connection may end before the other: that is for the copy to say.
    Object.assign(server, { allowHalfOpen: true });
    server.on("connection", (client) => this.#onClient(client));
    server.on("error", () => server.close());
  }

  listenDns(socket: DatagramSocket): void {
    this.#dns = socket;
    socket.on("message", (datagram, { port, address }) => {
      const answer = this.#answers.to(datagram, port);
      if (answer !== undefined) socket.send(answer, port, address);
    });
    socket.on("error", () => {}); // a datagram that could not be sent; the asker asks again
  }

  #refusedName(host: string, reason: "default" | "limit-names"): void {
    const { log, record, rules } = this.#parts;
    const { ruleId, reasonCode } = rules.decide({ host, port: 443, protocol: "https" });
    // What it was meant for nobody knows yet: a rule about the usual is the likeliest cause.
    const why = reason === "limit-names" || reasonCode === "local" ? reason : reasonCode;
    const about = { reason: why, host, via: "dns" as const, ...(ruleId === undefined ? {} : { rule: ruleId }) };
    log.refused(about);
    void log.recordOnce({ ...about, verdict: "deny", protocols: [] }, record);
  }

  /** A packet that no gate carries. */
  refusedByKernel({ protocol, address, port, process }: KernelRefusal): void {
    const { log, record } = this.#parts;
    const host = this.#named(canonical(address)).slice(0, 300);
    // Questions for names are carried, so many a second.
    const isQuestion = protocol === "udp" && port === questionPort;
    const about = {
      reason: isQuestion ? "limit-questions" : "unsupported",
      host,
      via: "kernel" as const,
      ...(port === undefined ? {} : { port }),
      ...(process === undefined ? {} : { process }),
    };
    log.refused(about);
    void log.recordOnce({ ...about, verdict: "deny", protocols: [protocol] }, record);
  }

  #onClient(client: Socket): void {
    client.on("error", () => client.destroy());
    const { localAddress = "" } = client;
    const host = this.#addresses.of(localAddress, () => canonical(localAddress));
    const port = client.localPort ?? 0;
    if (this.#clients.size >= this.#most) {
      void refuse({ host, port, via: "captured", clientPort: client.remotePort }, this.#parts, { reason: "limit-connections" });
      return void client.resetAndDestroy();
    }
    this.#clients.add(client);
    client.on("close", () => this.#clients.delete(client));
    if (host !== gateProxy.address) this.#captured(client, host, port);
    else if (port === gateProxy.httpPort) this.#http.acceptProxy(client);
    else if (port === gateProxy.socksPort) void serveSocks(client, this.#parts, (place) => this.#named(place));
    else client.resetAndDestroy();
  }

  #captured(client: Socket, address: string, port: number): void {
    void runTunnel(
      client,
      { host: this.#named(address), port, via: "captured", protocols: egressProtocols, clientPort: client.remotePort },
      this.#parts,
      {
        accepted: () => {},
        refused: () => void client.resetAndDestroy(),
      },
    );
  }

  /** A client that looked the name up itself names the address that stands for it. */
  #named(host: string): string {
    return this.#names.nameOf(host) ?? host;
  }

  #connect(client: Socket, place: { readonly host: string; readonly port: number }): void {
    const named = { host: this.#named(place.host), port: place.port };
    void runTunnel(client, { ...named, via: "connect", protocols: egressProtocols, clientPort: client.remotePort }, this.#parts, {
      accepted: () => void client.write("HTTP/1.1 200 Connection Established\r\n\r\n"),
      refused: (end) => hangUp(client, answerAbout(end, named)),
    });
  }

  /**
   * Other rules from now on. What they do not permit ends at once; what they permit besides opens nothing: it takes a new connection.
   * @returns how many connections were ended
   */
  reload(policy: EgressPolicy): number {
    const { rules, budget, log, questions, live } = this.#parts;
    this.#most = policy.connections + mostWaiting;
    rules.replace(policy);
    this.#generation = rules.generation;
    budget.replaceLimits(policy);
    questions.forget();
    log.forgetRecorded();
    this.#watchClock();
    return live.judgeAgain(rules, "grants end");
  }

  /** Ends everything at once; says what it was. */
  close(): EgressSummary {
    clearTimeout(this.#clock);
    this.#tcp?.close();
    this.#dns?.close();
    const summary = this.#parts.log.summary();
    for (const client of this.#clients) client.destroy();
    return summary;
  }
}
