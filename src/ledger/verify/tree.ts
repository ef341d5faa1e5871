// RFC 9162 tree hashing for the verifier: leaves go in one by one, the root can be asked for at any size.
import { createHash } from "node:crypto";

function digest(prefix: number, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256").update(Uint8Array.of(prefix));
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export const leafOf = (record: Uint8Array): Buffer => digest(0, record);

export class Tree {
  /** `#levels[n]` is the root of a full subtree of 2^n leaves that is not yet part of a larger one. */
  readonly #levels: (Buffer | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(leaf: Buffer): void {
    let carried = leaf;
    let level = 0;
    for (let left = this.#levels[level]; left !== undefined; left = this.#levels[level]) {
      carried = digest(1, left, carried);
      this.#levels[level] = undefined;
      level += 1;
    }
    this.#levels[level] = carried;
    this.#size += 1;
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (const subtree of this.#levels) {
      if (subtree !== undefined) root = root === undefined ? subtree : digest(1, subtree, root);
    }
    return root ?? createHash("sha256").digest();
  }
}
