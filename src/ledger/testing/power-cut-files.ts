// For tests: durable files that can forget what was never synced, as a device does when the power goes.
// Names (directory entries) are taken to last once made; contents only when synced.
import { fstatSync, statSync, truncateSync, unlinkSync } from "node:fs";
import type { DurableFiles } from "../ledger.ts";
import { unsyncedFiles as real } from "./ledger-fixture.ts";

const identity = (stats: { readonly dev: number; readonly ino: number }): string => `${stats.dev}:${stats.ino}`;

export class PowerCutFiles implements DurableFiles {
  /** Changes asked for so far. */
  count = 0;
  readonly #at: number;
  /** Bytes synced of each file, by identity. */
  readonly #synced = new Map<string, number>();
  /** Every name that a file got -> its identity. */
  readonly #names = new Map<string, string>();

  /** @param at the change from which on the power is off */
  constructor(at: number) {
    this.#at = at;
  }

  #step(): void {
    this.count += 1;
    if (this.count >= this.#at) throw Object.assign(new Error("EIO: the power is off"), { code: "EIO" });
  }

  #name(file: string): void {
    this.#names.set(file, identity(statSync(file)));
  }

  makeDirectory(directory: string): void {
    this.#step();
    real.makeDirectory(directory);
  }

  create(file: string, bytes: Uint8Array): void {
    this.#step();
    real.create(file, bytes);
    this.#name(file);
  }

  openLog(file: string): number {
    this.#step();
    const descriptor = real.openLog(file);
    this.#name(file);
    return descriptor;
  }

  append(descriptor: number, bytes: Uint8Array): void {
    this.#step();
    real.append(descriptor, bytes);
  }

  truncate(descriptor: number, size: number): void {
    this.#step();
    real.truncate(descriptor, size);
  }

  rename(from: string, to: string): void {
    this.#step();
    real.rename(from, to);
    this.#names.delete(from);
    this.#name(to);
  }

  link(from: string, to: string): void {
    this.#step();
    real.link(from, to);
    this.#name(to);
  }

  unlink(file: string): void {
    this.#step();
    real.unlink(file);
  }

  async sync(descriptor: number): Promise<void> {
    this.#step();
    const stats = fstatSync(descriptor);
    this.#synced.set(identity(stats), stats.size);
  }

  async syncPath(file: string): Promise<void> {
    this.#step();
    const stats = statSync(file);
    if (stats.isFile()) this.#synced.set(identity(stats), stats.size);
  }

  /** Cuts every file back to what was synced of it; small files of which nothing was vanish. */
  lose(): void {
    for (const [file, id] of this.#names) {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined || identity(found) !== id) continue;
      const kept = this.#synced.get(id) ?? 0;
      if (kept === 0 && found.size > 0 && !file.endsWith(".log")) unlinkSync(file);
      else if (kept < found.size) truncateSync(file, kept);
    }
  }
}
