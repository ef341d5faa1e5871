// What names led to, for as long as whoever answered said, and never longer than a minute: a task that opens many connections asks once. Every
// answer is judged each time it is used.

/** Every address of a name. */
export interface Found {
  readonly addresses: readonly string[];
  readonly ttlSeconds: number;
}

const longestMs = 60_000;
const mostNames = 256;

interface Known {
  readonly found: Promise<Found>;
  /** Monotonic; none while nobody has answered. */
  endsMs: number;
}

export class KnownNames {
  readonly #ask: (name: string) => Promise<Found>;
  readonly #nowMs: () => number;
  readonly #known = new Map<string, Known>();

  /** @param nowMs monotonic */
  constructor(ask: (name: string) => Promise<Found>, nowMs: () => number) {
    this.#ask = ask;
    this.#nowMs = nowMs;
  }

  /** Who asks the same meanwhile gets the same answer. What failed is asked again the next time. */
  async resolve(name: string): Promise<readonly string[]> {
    const known = this.#known.get(name);
    const isFresh = known !== undefined && this.#nowMs() < known.endsMs;
    return (await (isFresh ? known : this.#askFor(name)).found).addresses;
  }

  #askFor(name: string): Known {
    const asked: Known = { found: this.#ask(name), endsMs: Infinity };
    this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostNames && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, asked);
    asked.found.then(
      ({ ttlSeconds }) => (asked.endsMs = this.#nowMs() + Math.min(longestMs, ttlSeconds * 1000)),
      () => (asked.endsMs = 0),
    );
    return asked;
  }
}
