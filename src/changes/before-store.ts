// Bytes from before a task, in encrypted pieces below the state directory. A directory's name says whose they are and until when they are
// kept, so that expiry needs nothing but the name. INVARIANT I-10
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { type TaskId, taskIdSchema } from "../contracts/ids.ts";
import { sha256Hex } from "../kit/digest.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { lazily } from "../kit/lazily.ts";

const pieceBytes = 4 * 1024 * 1024;
const dayMs = 86_400_000;
/** However long records are kept. */
export const keptDaysMax = 30;

export const storedPiecesSchema = lazily(() =>
  z.array(z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/u), bytes: z.int().min(0) })),
);
/** Pieces in order; `sha256` of the encrypted bytes, `bytes` of the plain ones. */
export type StoredPieces = z.infer<ReturnType<typeof storedPiecesSchema>>;

/** Encrypts or decrypts under the task's key; `name` is bound to the bytes. */
export type Seal = (name: string, bytes: Uint8Array) => Uint8Array;
export type Unseal = (name: string, bytes: Uint8Array) => Uint8Array | undefined;

export function keptUntil(nowMs: number, retentionDays: number): string {
  return new Date(nowMs + Math.min(retentionDays, keptDaysMax) * dayMs).toISOString().slice(0, 10);
}

/** What is kept of a task: the name says whose it is and until when it stays. INVARIANT I-10 */
export function keptDirectory(root: string, task: TaskId, until: string): string {
  return path.join(root, `${task}.${until}`);
}

/** Where bytes of a task lie: those from before it, or those of one of its checkpoints. */
export interface KeptPlace {
  readonly root: string;
  readonly task: TaskId;
  readonly until: string;
  /** From 1 on. */
  readonly checkpoint?: number | undefined;
}

function placeDirectory({ root, task, until, checkpoint }: KeptPlace): string {
  const directory = keptDirectory(root, task, until);
  return checkpoint === undefined ? directory : `${directory}.${checkpoint}`;
}

/** Bound to the bytes: no piece can stand in the place of another. */
function pieceName({ checkpoint }: KeptPlace, index: number): string {
  return checkpoint === undefined ? String(index) : `${checkpoint}.${index}`;
}

export class BeforeWriter {
  readonly #place: KeptPlace;
  readonly #seal: Seal;
  readonly #pieces: StoredPieces = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;

  /** Nothing is made before there are bytes; what an earlier try left is removed. */
  static async open(place: KeptPlace, seal: Seal): Promise<BeforeWriter> {
    await removeTree(placeDirectory(place), { parent: place.root });
    return new BeforeWriter(place, seal);
  }

  private constructor(place: KeptPlace, seal: Seal) {
    this.#place = place;
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

  finish(): StoredPieces {
    if (this.#waitingBytes > 0) this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    const index = this.#pieces.length;
    const directory = placeDirectory(this.#place);
    const sealed = this.#seal(pieceName(this.#place, index), Buffer.concat(this.#waiting));
    if (index === 0) mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(directory, String(index)), sealed, { flag: "wx", mode: 0o600 });
    this.#pieces.push({ sha256: sha256Hex(sealed), bytes: this.#waitingBytes });
    this.#written += this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

export interface BeforeReader {
  /** undefined when they are gone or are not what was written. */
  read(offset: number, length: number): Buffer | undefined;
}

/** Of a task; undefined when what was kept has expired. */
export function openBefore(place: KeptPlace, pieces: StoredPieces, unseal: Unseal): BeforeReader {
  const directory = placeDirectory(place);
  let last: { readonly index: number; readonly bytes: Buffer } | undefined;
  const piece = (index: number): Buffer | undefined => {
    if (last?.index === index) return last.bytes;
    const sealed = readIfThere(path.join(directory, String(index)));
    if (sealed === undefined || sha256Hex(sealed) !== pieces[index]?.sha256) return undefined;
    const plain = unseal(pieceName(place, index), sealed);
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

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes the directories of tasks and their checkpoints that have expired, and nothing else. @returns how many */
export async function expireKept(root: string, nowMs: number): Promise<number> {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  let removed = 0;
  for (const name of namesIn(root)) {
    const match = /^(?<task>t-[0-9a-f-]+)\.(?<until>\d{4}-\d\d-\d\d)(?:\.\d+)?$/u.exec(name)?.groups;
    if (match === undefined || !taskIdSchema.safeParse(match["task"]).success || (match["until"] ?? "") >= today) continue;
    await removeTree(path.join(root, name), { parent: root });
    removed += 1;
  }
  return removed;
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
