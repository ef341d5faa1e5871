// Many bytes as a directory of encrypted pieces: written from the first to the last, read from anywhere. Who encrypts, and what that is bound to, is
// the caller's.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sha256Hex } from "./digest.ts";

const pieceBytes = 4 * 1024 * 1024;

/** `sha256` of the encrypted bytes in hex, `bytes` of the plain ones. */
export interface StoredPiece {
  readonly sha256: string;
  readonly bytes: number;
}

/** Nothing is made before there are bytes. */
export class PieceWriter {
  readonly #directory: string;
  readonly #seal: (index: number, bytes: Uint8Array) => Uint8Array;
  readonly #pieces: StoredPiece[] = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;

  /** @param seal binds the bytes to their index: no piece can stand in the place of another */
  constructor(directory: string, seal: (index: number, bytes: Uint8Array) => Uint8Array) {
    this.#directory = directory;
    this.#seal = seal;
  }

  /** Where the next bytes will lie. */
  get offset(): number {
    return this.#written + this.#waitingBytes;
  }

  append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + pieceBytes - this.#waitingBytes);
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      at += part.length;
      if (this.#waitingBytes === pieceBytes) this.#flush();
    }
  }

  finish(): StoredPiece[] {
    if (this.#waitingBytes > 0) this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    const index = this.#pieces.length;
    const sealed = this.#seal(index, Buffer.concat(this.#waiting));
    if (index === 0) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(this.#directory, String(index)), sealed, { flag: "wx", mode: 0o600 });
    this.#pieces.push({ sha256: sha256Hex(sealed), bytes: this.#waitingBytes });
    this.#written += this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

export interface PieceReader {
  /** undefined when they are gone or are not what was written. */
  read(offset: number, length: number): Buffer | undefined;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** @param unseal undefined for bytes that are not what was sealed under this index */
export function openPieces(
  directory: string,
  pieces: readonly StoredPiece[],
  unseal: (index: number, bytes: Uint8Array) => Uint8Array | undefined,
): PieceReader {
  let last: { readonly index: number; readonly bytes: Buffer } | undefined;
  const piece = (index: number): Buffer | undefined => {
    if (last?.index === index) return last.bytes;
    const sealed = readIfThere(path.join(directory, String(index)));
    if (sealed === undefined || sha256Hex(sealed) !== pieces[index]?.sha256) return undefined;
    const plain = unseal(index, sealed);
    if (plain === undefined) return undefined;
    last = { index, bytes: Buffer.from(plain) };
    return last.bytes;
  };
  return {
    read: (offset, length) => {
      const parts: Buffer[] = [];
      for (let at = offset; at < offset + length;) {
        const within = at % pieceBytes;
        const bytes = piece(Math.floor(at / pieceBytes))?.subarray(within, within + offset + length - at);
        if (bytes === undefined || bytes.length === 0) return undefined;
        parts.push(bytes);
        at += bytes.length;
      }
      return Buffer.concat(parts);
    },
  };
}
