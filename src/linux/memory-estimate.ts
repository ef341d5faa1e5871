// Memory of a tree without a control group: a cheap sum at each look, the exact one only when the cheap one says that it could be too much.

export interface MemoryLook {
  /** Resident pages, shared ones counted more than once. */
  readonly residentBytes: number;
  /** Counts each page once; slow. */
  readonly exactBytes: () => number;
}

export class MemoryEstimate {
  readonly #limitBytes: number;
  /** By how much the cheap sum was too high when both were taken. */
  #excessBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Above the limit only when the exact sum is. */
  look({ residentBytes, exactBytes }: MemoryLook): number {
    const estimate = Math.max(0, residentBytes - this.#excessBytes);
    if (estimate <= this.#limitBytes) return estimate;
    const exact = exactBytes();
    this.#excessBytes = Math.max(0, residentBytes - exact);
    return exact;
  }
}
