// How much one copy into or out of a sandbox takes, and how it is refused.
import { GloveboxError } from "../../contracts/glovebox-error.ts";

export const copyBounds = { entries: 10_000, bytes: 1024 * 1024 * 1024 } as const;

/** Counts what is copied. @throws FILE_UNAVAILABLE beyond the bounds */
export class CopyCount {
  readonly #place: string;
  #entries = 0;
  #bytes = 0;

  constructor(place: string) {
    this.#place = place;
  }

  /** Directories too. */
  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > copyBounds.entries) throw copyRefused("copy.too-many", this.#place, { maximum: copyBounds.entries });
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > copyBounds.bytes) throw copyRefused("copy.too-large", this.#place, { maximum: copyBounds.bytes });
  }
}

export function copyRefused(situation: string, path: string, more: Readonly<Record<string, string | number>> = {}): GloveboxError {
  return new GloveboxError("FILE_UNAVAILABLE", situation, { values: { path, ...more } });
}
