// Time as a port, so that deadlines can be tested without waiting.

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  wallMs(): number;
  /** Monotonic nanoseconds. */
  monotonicNs(): bigint;
  /** Identity of this boot of the machine. */
  readonly bootId: string;
}
