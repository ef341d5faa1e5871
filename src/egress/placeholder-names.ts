// Addresses that stand for names inside one sandbox: what a name "resolves" to there, and what a connection to such an address means.
// Bounded: a program that asks for ever new names gets no more than the table holds.
import { placeholders } from "../contracts/egress-places.ts";
import { ipRange, parseIpAddress } from "../kit/ip-address.ts";
import { lazily } from "../kit/lazily.ts";

const base4 = lazily((): bigint => ipRange(placeholders.base4).base);
const base6 = lazily((): bigint => ipRange(placeholders.base6).base);

function bytesOf(value: bigint, length: 4 | 16): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 0xffn));
}

export class PlaceholderNames {
  readonly #indexes = new Map<string, number>();
  readonly #names: string[] = [];

  /** The addresses of a name, made when it is first asked for; undefined when the table is full. */
  addressesOf(name: string): { readonly v4: Uint8Array; readonly v6: Uint8Array } | undefined {
    let index = this.#indexes.get(name);
    if (index === undefined) {
      if (this.#names.length >= placeholders.count) return undefined;
      index = this.#names.push(name) - 1;
      this.#indexes.set(name, index);
    }
    return { v4: bytesOf(base4() + BigInt(index), 4), v6: bytesOf(base6() + BigInt(index), 16) };
  }

  /** @param address as a socket shows it */
  nameOf(address: string): string | undefined {
    const parsed = parseIpAddress(address);
    if (parsed === undefined) return undefined;
    const index = parsed.value - (parsed.family === 4 ? base4() : base6());
    return index >= 0n && index < BigInt(this.#names.length) ? this.#names[Number(index)] : undefined;
  }
}
