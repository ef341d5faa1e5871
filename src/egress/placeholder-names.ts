// Addresses that stand for names inside one sandbox: what a name "resolves" to there, and what a connection to such an address means.
// Bounded: a program that asks for ever new names gets no more than the table holds.
import { placeholders } from "../contracts/egress-places.ts";
import { ipRange, showIpAddress } from "../kit/ip-address.ts";
import { lazily } from "../kit/lazily.ts";

const base4 = lazily((): bigint => ipRange(placeholders.base4).base);
const base6 = lazily((): bigint => ipRange(placeholders.base6).base);

function bytesOf(value: bigint, length: 4 | 16): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 0xffn));
}

interface Placeholder {
  readonly v4: Uint8Array;
  readonly v6: Uint8Array;
}

export class PlaceholderNames {
  readonly #placeholders = new Map<string, Placeholder>();
  /** By canonical address. */
  readonly #names = new Map<string, string>();

  /** The addresses of a name, made when it is first asked for; undefined when the table is full. */
  addressesOf(name: string): Placeholder | undefined {
    const known = this.#placeholders.get(name);
    if (known !== undefined || this.#placeholders.size >= placeholders.count) return known;
    const index = BigInt(this.#placeholders.size);
    const [v4, v6] = [base4() + index, base6() + index];
    const made = { v4: bytesOf(v4, 4), v6: bytesOf(v6, 16) };
    this.#placeholders.set(name, made);
    this.#names.set(showIpAddress({ family: 4, value: v4 }), name).set(showIpAddress({ family: 6, value: v6 }), name);
    return made;
  }

  /** @param address canonical, as kit/ip-address.ts shows it */
  nameOf(address: string): string | undefined {
    return this.#names.get(address);
  }
}
