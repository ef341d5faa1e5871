// What a person sees of the package caches that projects share.
export interface CacheEntry {
  readonly id: string;
  /** The project's directory; undefined: what was written of it cannot be read. */
  readonly project: string | undefined;
  readonly bytes: number;
  /** ISO 8601. */
  readonly lastUsed: string;
  /** A task has it now. */
  readonly isInUse: boolean;
}

export interface CacheDoor {
  /** Last used first. */
  list(): Promise<readonly CacheEntry[]>;
  /** @returns what was removed. @throws USAGE_INVALID for one that there is not, STATE_BUSY for one that a task has; then nothing was removed */
  remove(ids: readonly string[]): Promise<readonly string[]>;
}
