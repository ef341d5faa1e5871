// How long one sandbox has been paused, so that its commands do not use up their wall time meanwhile.

import { GloveboxError } from "../contracts/glovebox-error.ts";

export function pausedError(sandbox: string): GloveboxError {
  return new GloveboxError("SANDBOX_PAUSED", "sandbox.paused", { values: { sandbox } });
}

export class Pauses {
  readonly #nowNs: () => bigint;
  #endedNs = 0n;
  #sinceNs: bigint | undefined;

  /** @param nowNs monotonic */
  constructor(nowNs: () => bigint) {
    this.#nowNs = nowNs;
  }

  get isPaused(): boolean {
    return this.#sinceNs !== undefined;
  }

  /** All pauses together, the one that lasts included. */
  get totalNs(): bigint {
    return this.#endedNs + (this.#sinceNs === undefined ? 0n : this.#nowNs() - this.#sinceNs);
  }

  /** Idempotent. */
  begin(): void {
    this.#sinceNs ??= this.#nowNs();
  }

  /** Idempotent. */
  end(): void {
    this.#endedNs = this.totalNs;
    this.#sinceNs = undefined;
  }
}
