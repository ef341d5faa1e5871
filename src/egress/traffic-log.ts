// What one sandbox did with the network, in bounded memory: the first connections and refusals in full, the rest as numbers.
import type { EgressDecision, EgressProtocol } from "../contracts/egress-policy.ts";
import type { EgressConnection, EgressEvent, EgressRefusal, EgressSummary } from "../contracts/egress-record.ts";
import { looksLikeTunnel } from "./looks-like-tunnel.ts";

const mostConnections = 1000;
const mostRefusals = 200;
/** Events that are recorded one by one, each once. */
const mostEvents = 1000;

/** One connection while it lives. */
export interface OpenEntry {
  protocol?: string;
  /** The one that allowed what is spoken; at first the one of whatever may be. */
  rule: string | undefined;
  /** That rule would have denied it. */
  isObserved: boolean;
  address?: string;
  /** Its name was looked up by a company's proxy alone. */
  isUnresolved?: boolean;
  checked: EgressConnection["checked"];
  sentBytes: number;
  receivedBytes: number;
  end(reason: string): void;
}

/** What is spoken, and by which decision. */
export function spokenBy(entry: OpenEntry, protocol: EgressProtocol, { ruleId, reasonCode }: EgressDecision): void {
  entry.protocol = protocol;
  entry.rule = ruleId ?? entry.rule;
  entry.isObserved = reasonCode === "observed";
}

type Asked = Pick<EgressConnection, "host" | "port" | "via"> & Pick<OpenEntry, "rule"> & Partial<Pick<OpenEntry, "isObserved">>;

/** Text of somebody hostile, cut. */
const cut = (text: string): string => text.slice(0, 300).toWellFormed();

function shown({ host, port, via }: Omit<Asked, "rule" | "isObserved">, entry: OpenEntry): Omit<EgressConnection, "end" | "durationMs"> {
  const { protocol, rule, isObserved, address, isUnresolved, checked, sentBytes, receivedBytes } = entry;
  return {
    host: cut(host),
    port,
    via,
    ...(protocol === undefined ? {} : { protocol }),
    ...(rule === undefined ? {} : { rule }),
    ...(isObserved ? { isObserved } : {}),
    ...(address === undefined ? {} : { address }),
    ...(isUnresolved === true ? { isUnresolved } : {}),
    checked,
    sentBytes,
    receivedBytes,
  };
}

export class TrafficLog {
  readonly #nowMs: () => number;
  readonly #connections: EgressConnection[] = [];
  readonly #refusals = new Map<string, EgressRefusal & { count: number }>();
  readonly #open = new Set<OpenEntry>();
  readonly #recorded = new Map<string, Promise<boolean>>();
  #totalConnections = 0;
  #totalRefusals = 0;
  #sentBytes = 0;
  #receivedBytes = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Records what has not been asked before in this sandbox; whoever asks the same meanwhile waits for the same record. When something could not be
   * recorded, everything is recorded anew the next time: of what passed before nobody knows whether its record is still to be had. Refusals beyond the list are only counted. @returns false when it could not be recorded
   */
  recordOnce(event: EgressEvent, record: (event: EgressEvent) => Promise<boolean>): Promise<boolean> {
    const { verdict, reason, rule = "", host, port = 0, via } = event;
    const identity = JSON.stringify([verdict, reason, rule, host, port, via]);
    const known = this.#recorded.get(identity);
    if (known !== undefined) return known;
    const isFull = this.#recorded.size >= mostEvents;
    if (isFull && verdict === "deny") return Promise.resolve(true);
    const recording = record(event).then((isRecorded) => {
      if (!isRecorded) this.#recorded.clear();
      return isRecorded;
    });
    if (!isFull) this.#recorded.set(identity, recording);
    return recording;
  }

  /** Under other rules the same question is another decision. */
  forgetRecorded(): void {
    this.#recorded.clear();
  }

  opened({ host, port, via, rule, isObserved = false }: Asked): OpenEntry {
    const startedMs = this.#nowMs();
    const entry: OpenEntry = {
      rule,
      isObserved,
      checked: "none",
      sentBytes: 0,
      receivedBytes: 0,
      end: (reason) => {
        if (!this.#open.delete(entry)) return;
        this.#totalConnections += 1;
        this.#sentBytes += entry.sentBytes;
        this.#receivedBytes += entry.receivedBytes;
        this.#keep({ ...shown({ host, port, via }, entry), end: reason, durationMs: Math.max(0, Math.round(this.#nowMs() - startedMs)) });
      },
    };
    this.#open.add(entry);
    return entry;
  }

  /** What looks like a tunnel is listed also when the list is full: many connections before it must not hide it. */
  #keep(ended: EgressConnection): void {
    const connection: EgressConnection = looksLikeTunnel(ended) ? { ...ended, looksLikeTunnel: true } : ended;
    if (this.#connections.length < mostConnections) this.#connections.push(connection);
    else if (connection.looksLikeTunnel === true) {
      const given = this.#connections.findLastIndex((each) => each.looksLikeTunnel !== true);
      if (given >= 0) this.#connections.splice(given, 1, connection);
    }
  }

  refused({ reason, rule, opensAt, host, port, via, process }: Omit<EgressRefusal, "count">): void {
    this.#totalRefusals += 1;
    const identity = JSON.stringify([reason, rule, opensAt, host, port, via, process]);
    const same = this.#refusals.get(identity);
    if (same !== undefined) same.count += 1;
    else if (this.#refusals.size < mostRefusals) {
      const known = {
        ...(rule === undefined ? {} : { rule }),
        ...(port === undefined ? {} : { port }),
        ...(opensAt === undefined ? {} : { opensAt }),
      };
      const named = process === undefined ? {} : { process: cut(process) };
      this.#refusals.set(identity, { reason, host: cut(host), via, ...known, ...named, count: 1 });
    }
  }

  /** Ends what is still open. */
  summary(): EgressSummary {
    for (const entry of this.#open) entry.end("closed");
    return {
      connections: this.#connections,
      totalConnections: this.#totalConnections,
      refusals: [...this.#refusals.values()],
      totalRefusals: this.#totalRefusals,
      sentBytes: this.#sentBytes,
      receivedBytes: this.#receivedBytes,
    };
  }
}
