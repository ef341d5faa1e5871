// What one sandbox may still use of the network: bytes sent, connections at once, new names a minute. Numbers only.

/** New names a minute: the labels of a name are a channel to whoever answers for its domain. */
export const namesPerMinute = 120;
/** Longer names carry more than they name. */
export const longestTakenName = 128;
/** Names that are known; more than any honest task asks for. */
const mostNames = 4096;

const minuteMs = 60_000;

interface Limits {
  readonly sentBytes: number;
  readonly connections: number;
}

export class EgressBudget {
  #limits: Limits;
  readonly #nowMs: () => number;
  readonly #known = new Set<string>();
  #windowStartedMs: number;
  #newInWindow = 0;
  #open = 0;
  #sent = 0;

  /** @param nowMs monotonic */
  constructor({ sentBytes, connections }: Limits, nowMs: () => number) {
    this.#limits = { sentBytes, connections };
    this.#nowMs = nowMs;
    this.#windowStartedMs = nowMs();
  }

  /** What was used stays used. */
  replaceLimits({ sentBytes, connections }: Limits): void {
    this.#limits = { sentBytes, connections };
  }

  takeConnection(): boolean {
    if (this.#open >= this.#limits.connections) return false;
    this.#open += 1;
    return true;
  }

  giveConnectionBack(): void {
    this.#open -= 1;
  }

  /** False: these bytes may not leave any more, nor any others. */
  takeSent(bytes: number): boolean {
    this.#sent += bytes;
    return this.#sent <= this.#limits.sentBytes;
  }

  /** A name that was taken before is free. */
  takeName(name: string): boolean {
    if (this.#known.has(name)) return true;
    const nowMs = this.#nowMs();
    if (nowMs - this.#windowStartedMs >= minuteMs) {
      this.#windowStartedMs = nowMs;
      this.#newInWindow = 0;
    }
    if (name.length > longestTakenName || this.#newInWindow >= namesPerMinute || this.#known.size >= mostNames) return false;
    this.#newInWindow += 1;
    this.#known.add(name);
    return true;
  }
}
