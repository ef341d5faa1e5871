// Standard input as a whole, where it is a file that ends: what an approval can cover because nothing of it is still to come.
import { fstatSync, readSync } from "node:fs";

const maximumBytes = 16 * 2 ** 20;

/** From where the descriptor stands. Undefined for a terminal, a pipe, a larger file. */
export function readRegularStdin(): Uint8Array | undefined {
  try {
    const found = fstatSync(0);
    if (!found.isFile() || found.size > maximumBytes) return undefined;
    const parts: Buffer[] = [];
    for (let bytes = 0; bytes <= maximumBytes;) {
      const buffer = Buffer.alloc(65_536);
      const count = readSync(0, buffer);
      if (count === 0) return Buffer.concat(parts);
      parts.push(buffer.subarray(0, count));
      bytes += count;
    }
    // It grew while it was read: what was read is gone from the descriptor, and the command must not get half of it.
    throw new RangeError("Standard input grew");
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined; // closed, or a directory: there is no input
  }
}
